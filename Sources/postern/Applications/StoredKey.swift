import Cryptography
import JSON
import RPC

/// A key with the places of its files.
struct StoredKey {
    let application: String
    let keyID: String
    /// Whether a server has the same secret.
    var isShared = false
    /// The servers that have its public key.
    var servers: [String] = []
    /// The file of the private key, if it is below this folder.
    var privateFile: String?
    /// All its files.
    var files: [String] = []
    /// Its files that cannot be read as a key, each with the error.
    var errors: [String] = []

    /// Its row in `postern applications list`.
    var row: Row {
        let known = servers.isEmpty ? "no server" : servers.joined(separator: ",")
        let form =
            !errors.isEmpty ? "unreadable" : isShared ? "shared secret: rotate it" : "Ed25519"
        return Row([
            .init("application", application), .init("key_id", keyID, heading: "key"),
            .init("form", form),
            .init(
                "servers", .array(servers.map { .string($0) }), text: known,
                phrase: "known to \(known)", heading: "known to"),
            .init(
                "private_key_file", privateFile.map { .string($0) } ?? .null,
                text: privateFile ?? "not here", phrase: privateFile ?? "private key not here",
                heading: "private key"),
        ])
    }

    /// Every key below a folder, sorted, and each file whose name is not that of a key, with the
    /// error. One invalid file does not prevent listing, rotating or removing the others.
    /// - Throws: `ApplicationsError` for a folder that cannot be read.
    static func all(in keys: KeyFolders) throws -> (keys: [StoredKey], otherFiles: [String]) {
        var keysByName: [String: StoredKey] = [:]
        var otherFiles: [String] = []
        for folder in Endpoints.programs + ["applications"] {
            for fileName in try ApplicationKey.Name.fileNames(in: "\(keys.path)/\(folder)") {
                let file = "\(keys.path)/\(folder)/\(fileName)"
                do {
                    let name = try ApplicationKey.Name(fileName)
                    let id = "\(name.application).\(name.keyID)"
                    var key =
                        keysByName[id]
                        ?? StoredKey(application: name.application, keyID: name.keyID)
                    let isHome = keys.home(of: name.application) == "\(keys.path)/\(folder)"
                    key.add(file, name.kind, knownTo: folder, isHome: isHome)
                    keysByName[id] = key
                } catch {
                    otherFiles.append(text(file, error))
                }
            }
        }
        let sorted = keysByName.values.sorted {
            ($0.application, $0.keyID) < ($1.application, $1.keyID)
        }
        return (sorted, otherFiles)
    }

    /// Adds one of its files. An unreadable file still counts for its folder: the next key goes to
    /// the same servers, and this one can be removed.
    private mutating func add(
        _ file: String, _ kind: ApplicationKey.Name.Kind, knownTo folder: String, isHome: Bool
    ) {
        files.append(file)
        do {
            if kind == .verifying {
                _ = try Ed25519VerifyingKey(file: file)
            } else {
                isShared = try ApplicationKey(file: file).isShared
            }
        } catch {
            errors.append(Self.text(file, error))
        }
        if isHome, kind != .verifying {
            privateFile = file
        } else if folder != "applications" {
            servers.append(folder)
        }
    }

    /// Adds the file's name to an error that does not contain it.
    private static func text(_ file: String, _ error: any Error) -> String {
        let reason = "\(error)"
        return reason.contains(file) ? reason : "\(file): \(reason)"
    }
}
