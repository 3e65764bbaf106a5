/** How the parts of the Share dialog change the access. */

/** Makes a change and reads the access again; a failure is shown in the dialog. */
export type Act = (change: () => Promise<unknown>) => Promise<boolean>;
