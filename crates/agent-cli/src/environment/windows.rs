//! The variables that Windows gives every process.

/// Without these hardly any program starts there, and builds take the system for another (`OS`), or find neither
/// the tools of Visual Studio nor their libraries.
const WINDOWS: &[&str] = &[
    "ALLUSERSPROFILE",
    "APPDATA",
    "COMMONPROGRAMFILES",
    "COMMONPROGRAMFILES(X86)",
    "COMMONPROGRAMW6432",
    "COMPUTERNAME",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "INCLUDE",
    "LIB",
    "LIBPATH",
    "LOCALAPPDATA",
    "NUMBER_OF_PROCESSORS",
    "OS",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROCESSOR_ARCHITEW6432",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "PROGRAMW6432",
    "PUBLIC",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "UNIVERSALCRTSDKDIR",
    "USERDOMAIN",
    "USERNAME",
    "USERPROFILE",
    "VCINSTALLDIR",
    "VCTOOLSINSTALLDIR",
    "VSCMD_ARG_TGT_ARCH",
    "VSINSTALLDIR",
    "WINDIR",
    "WINDOWSSDKDIR",
    "WINDOWSSDKVERSION",
];

/// Whether a variable is one of them. Names are case-insensitive there: `Path` is PATH.
pub(super) fn is_its_own(name: &str) -> bool {
    WINDOWS.contains(&name.to_uppercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_gives_its_own_names_in_any_case_and_no_secret() {
        for name in ["Path", "OS", "windir", "ProgramFiles(x86)", "ProgramW6432", "NUMBER_OF_PROCESSORS", "VCToolsInstallDir"] {
            assert!(is_its_own(name), "{name}");
        }
        for name in ["GITHUB_TOKEN", "Pat", "LIBX", "ONEDRIVE"] {
            assert!(!is_its_own(name), "{name}");
        }
        assert!(WINDOWS.is_sorted(), "so that one is found by eye");
    }
}
