export const compare = () => ({ title: "compare", what: "", answer: [], parts: [] });
