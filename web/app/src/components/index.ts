/** Shared interface components, edit permission for components, and lazy loading. */

export { CopyButton } from "./CopyButton.tsx";
export { DialogButtons } from "./DialogButtons.tsx";
export { createAvailability, type EditPermission, EditPermissionContext } from "./edit-permission.ts";
export { FileDropZone } from "./FileDropZone.tsx";
export { focusInvalidField, FormField } from "./FormField.tsx";
export { Icon, type IconName, loadIcons } from "./Icon.tsx";
export { KeyedFor } from "./KeyedFor.tsx";
export { LanguageField } from "./LanguageField.tsx";
export { DialogLoadError, LazyBoundary, lazyComponent, LoadError } from "./lazy.tsx";
export { afterOverlaysLoad, failedOpenings, loadOverlays, loadWithOverlays, overlaysFailed } from "./load-overlays.ts";
export { Logo } from "./Logo.tsx";
export { Menu, MenuCheck, MenuHeading, MenuItem, MenuSeparator, PointMenu } from "./Menu.tsx";
export { Modal } from "./Modal.tsx";
export { NativeDialog } from "./NativeDialog.tsx";
export { Panel } from "./Panel.tsx";
export { Popover } from "./Popover.tsx";
export { ToolButton } from "./ToolButton.tsx";
export { UnreadButton } from "./UnreadButton.tsx";
