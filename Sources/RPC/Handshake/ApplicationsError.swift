/// Why the applications' keys could not be read; each says what to do.
package enum ApplicationsError: Error, CustomStringConvertible {
    /// The folder is missing or closed to us.
    case noFolder(String)
    /// An application has no key.
    case noKey(String, folder: String)
    /// A file that is not named like a key.
    case notAKeyName(String)

    package var description: String {
        switch self {
        case .noFolder(let folder):
            "cannot read the folder of application keys \(folder): create it or correct the setting"
        case .noKey(let name, let folder):
            "the application \(name) has no key: put \(name).KEYID.key (32 random bytes) into \(folder)"
        case .notAKeyName(let name):
            "\(name) is not named like an application's key: APPLICATION.KEYID.key"
        }
    }
}
