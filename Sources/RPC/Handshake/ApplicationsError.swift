/// Why the applications' keys could not be read; each text says what to do.
package enum ApplicationsError: Error, CustomStringConvertible {
    /// The folder is missing or cannot be opened.
    case noFolder(String)
    /// An application has no key.
    case noKey(String, folder: String)
    /// A file whose name is not a key's.
    case notAKeyName(String)
    /// A PEM file without a private Ed25519 key.
    case notEd25519(String)
    /// A key that client and server share, where none is allowed.
    case sharedKey(String, application: String, isOurs: Bool)

    package var description: String {
        switch self {
        case .noFolder(let folder):
            "cannot read the folder of application keys \(folder): create it or correct the setting"
        case .noKey(let name, let folder):
            "the application \(name) has no key: put \(name).KEYID.pub (its public half) into "
                + "\(folder), or \(name).KEYID.key where it calls others itself; `postern "
                + "applications` and docker/compose/secrets.sh make both"
        case .notAKeyName(let name):
            "\(name) is not named like an application's key: APPLICATION.KEYID.key or .pub"
        case .notEd25519(let path):
            "\(path) is PEM, but no Ed25519 private key (PKCS #8): make one with `postern "
                + "applications` or `openssl genpkey -algorithm ed25519`"
        case .sharedKey(let path, let application, isOurs: true):
            "\(path) is a secret that \(application) shares with the servers it calls, and each of "
                + "them could call as \(application): start `postern up` or run "
                + "docker/compose/secrets.sh again, which make an Ed25519 key, or make one with "
                + "`openssl genpkey -algorithm ed25519`, give servers its public half, and take "
                + "this file away"
        case .sharedKey(let path, let application, isOurs: false):
            "\(path) is a secret that \(application) shares with this server, and "
                + "accept-shared-keys is false: `postern applications rotate \(application)` makes "
                + "an Ed25519 key; then take this file away"
        }
    }
}
