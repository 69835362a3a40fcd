export const sweep = () => ({ title: "sweep", what: "", answer: [], parts: [] });
