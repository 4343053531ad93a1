// A rule of our own for oxlint: rows of a statement that writes are read by prepareReturning (shared/backends/sqlite.ts) alone. `get()` of
// node:sqlite takes the first row and hides a commit that fails behind it, which a full disk is.
const message =
  'Use prepareReturning: get() of a statement that writes hides a commit that failed, such as that of a full disk.';

const textOf = (node) =>
  node?.type === 'TemplateLiteral'
    ? node.quasis.map(({ value }) => value.raw).join('?')
    : node?.type === 'Literal' && typeof node.value === 'string'
      ? node.value
      : '';

export default {
  meta: { name: 'ours' },
  rules: {
    'written-rows': {
      create: (context) => ({
        CallExpression(node) {
          const [sql] = node.arguments;
          const isPrepare =
            node.callee.type === 'MemberExpression' && node.callee.property.name === 'prepare';
          if (isPrepare && /\bRETURNING\b/i.test(textOf(sql))) context.report({ node, message });
        },
      }),
    },
  },
};
