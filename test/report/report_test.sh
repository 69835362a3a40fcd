#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# report_test.sh PART ROOT WORK LEVEE: tests the report page. PART is one of these:
#   install    installs the page's npm packages into WORK
#   template   checks that the committed page equals the one made from its sources
#   pages      shows pages of runs and of invented data in a headless browser, and takes the pictures of README and
#              docs/tracing.md, in WORK/images
#   questions  takes the pictures of docs/questions.md, from the pages that the test of docs/questions.md made
# If the machine lacks node, npm, a browser or the network, prints the reason and exits with 77.
set -eu
part=$1 root=$2 work=$3 levee=$4
page=$root/platform/observe/report/page

skip() {
    printf 'skipped: %s\n' "$*"
    exit 77
}

for command in node npm; do
    command -v "$command" >/dev/null || skip "there is no $command"
done

case $part in
install)
    mkdir -p "$work"
    cp "$page/package.json" "$page/package-lock.json" "$work"
    cmp -s "$work/package-lock.json" "$work/node_modules/installed" && exit 0
    rm -rf "$work/node_modules"
    (cd "$work" && npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1) || {
        cat "$work/npm.log"
        grep -qE 'EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|E403|E404|ERR_SOCKET_TIMEOUT' "$work/npm.log" || exit 1
        skip "the npm registry cannot be reached"
    }
    cp "$work/package-lock.json" "$work/node_modules/installed"
    ;;
template)
    [ -f "$work/node_modules/installed" ] || skip "the npm packages are missing"
    rm -rf "$work/src"
    cp -r "$page/src" "$page/build.mjs" "$work"
    (cd "$work" && node build.mjs page.html)
    cmp "$work/page.html" "$page/page.html" || {
        echo "platform/observe/report/page/page.html is not what its sources make: run 'npm run build' there and commit it"
        exit 1
    }
    ;;
pages)
    [ -f "$work/node_modules/installed" ] || skip "the npm packages are missing"
    browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "there is no chromium"
    cp "$root/test/report/"*.mjs "$work"
    rm -rf "$work/src"
    cp -r "$page/src" "$work"
    rm -rf "$work/pages" "$work/images"
    mkdir -p "$work/pages" "$work/images"
    for run in run:kelle/demo large:kelle/kelle_edram; do
        "$levee" run "${run#*:}" --quiet --out "$work/pages/${run%%:*}" 2>"$work/run.log" || { cat "$work/run.log"; exit 1; }
    done
    "$levee" run requests --set model.shape.layers=1 --set workload.requests.count=12 --quiet --out "$work/pages/requests" 2>"$work/run.log" || { cat "$work/run.log"; exit 1; }
    # Makes a page again from the data that it contains.
    cp "$work/pages/run/report.html" "$work/pages/first.html"
    "$levee" report "$work/pages/run"
    cmp "$work/pages/first.html" "$work/pages/run/report.html"
    node --test "$work/figures_test.mjs" || exit 1
    (cd "$work" && node pages_test.mjs "$browser" "$root" "$work")
    ;;
questions)
    [ -f "$work/node_modules/installed" ] || skip "the npm packages are missing"
    browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "there is no chromium"
    cp "$root/test/report/pictures.mjs" "$work"
    "$root/test/report/question_pictures.sh" "$browser" "$work/../docs/questions/questions" "$work/questions" "$work/pictures.mjs"
    for picture in $(sed -n 's|.*(images/questions/\(.*\.png\)).*|\1|p' "$root/docs/questions.md"); do
        [ -s "$work/questions/$picture" ] && [ -s "$root/docs/images/questions/$picture" ] || {
            echo "docs/questions.md has a picture $picture, which is not made, or not in docs/images/questions"
            exit 1
        }
    done
    ;;
*)
    echo "expected install, template, pages or questions" >&2
    exit 2
    ;;
esac
