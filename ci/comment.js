// A step of action.yml: the summary of a suite as a comment on the pull request. One comment for each suite, which later
// runs update.

const fs = require("fs");

// GitHub refuses longer comments.
const LONGEST = 65000;

module.exports = async ({ github, context, core }) => {
  const mark = `<!-- gauntlet: ${process.env.SUITE} -->`;
  const summary = fs.readFileSync(process.env.SUMMARY, "utf8").slice(0, LONGEST);
  const run = `${context.serverUrl}/${context.repo.owner}/${context.repo.repo}/actions/runs/${context.runId}`;
  const body = `${mark}\n${summary}\n[Run and report](${run})\n`;
  const issue = { ...context.repo, issue_number: context.payload.pull_request.number };
  const comments = await github.paginate(github.rest.issues.listComments, { ...issue, per_page: 100 });
  const own = comments.find((comment) => comment.body?.startsWith(mark));
  if (own) {
    await github.rest.issues.updateComment({ ...context.repo, comment_id: own.id, body });
  } else {
    await github.rest.issues.createComment({ ...issue, body });
  }
  core.info(own ? "the comment is updated" : "the comment is new");
};
