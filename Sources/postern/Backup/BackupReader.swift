import Cryptography
import Glibc

/// Reads a file of `postern backup`, with what decrypts it.
struct BackupReader {
    let path: String
    private let identities: [AgeIdentity]

    /// - Throws: `ToolError` if nothing is named that decrypts it; `SecretFileError`.
    init(_ path: String, _ options: IdentityOptions) throws {
        guard let identities = try options.identities() else {
            throw ToolError(
                "\(path) is encrypted: say what opens it, --identity FILE or --passphrase-file FILE"
            )
        }
        self.init(path, identities)
    }

    init(_ path: String, _ identities: [AgeIdentity]) {
        self.path = path
        self.identities = identities
    }

    /// Decrypts the whole file, and writes the files of these services into a folder, durable on
    /// return.
    /// - Throws: `ToolError` for damage, with the byte of the file or the name of what is missing.
    func extract(_ services: [StoredService], into folder: Folder) throws -> RestoredFiles {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw ToolError.system(path, errno) }
        defer { close(file) }
        let manifest: BackupManifest
        do {
            let reader = try AgeReader(identities: identities) { count in
                var bytes = [UInt8](repeating: 0, count: count)
                let got = read(file, &bytes, count)
                guard got >= 0 else { throw ToolError.system(path, errno) }
                return Array(bytes[..<got])
            }
            manifest = try BackupArchive(services: services, folder: folder).extract {
                try reader.next()
            }
        } catch let error as AgeFileError {
            throw ToolError("\(path), \(error)")
        }
        for service in services
        where !manifest.stores.contains(where: { $0.service == service.name }) {
            throw ToolError("\(path) has no store of \(service.name)")
        }
        return RestoredFiles(
            keys: manifest.hasKeys ? folder.folder(BackupKeys.folderName) : nil,
            // Anyone who has the public half of the key can write a manifest.
            origin: "made at \(manifest.createdAt) by version \(manifest.version)".printable)
    }
}

extension IdentityOptions {
    /// What opens a backup; nil if nothing is named.
    func identities() throws -> [AgeIdentity]? {
        if let identity {
            do {
                return try AgeIdentity.keys(inFile: SecretFile.read(identity))
            } catch let error as AgeKeyError {
                throw ToolError("\(identity): \(error)")
            }
        }
        return try passphraseFile.map { [.passphrase(try SecretFile.readLine($0))] }
    }
}
