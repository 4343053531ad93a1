/** Where agents ask. */
export const mcpPath = '/mcp';
