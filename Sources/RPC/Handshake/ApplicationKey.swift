package import Cryptography

/// A key that a program proves itself with.
package struct ApplicationKey: Sendable {
    /// The application that it is a key of.
    package let application: String
    /// Which of its keys.
    package let keyID: String
    /// The key.
    package let key: KeyedHash

    /// The key in `path`, a file `<application>.<key id>.key`.
    /// - Throws: `ApplicationsError` for another name, `SecretFileError` for a file that is missing,
    ///   too open or no key.
    package init(file path: String) throws {
        let name = path.split(separator: "/").last ?? ""
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2] == "key", !parts[0].isEmpty, !parts[1].isEmpty else {
            throw ApplicationsError.notAKeyName(String(name))
        }
        application = String(parts[0])
        keyID = String(parts[1])
        key = KeyedHash(key: try SecretFile.readKey(path))
    }

    /// The first key of `application` in `folder`, by name.
    package static func first(of application: String, in folder: String) throws -> ApplicationKey {
        guard let key = try all(of: application, in: folder).first else {
            throw ApplicationsError.noKey(application, folder: folder)
        }
        return key
    }

    /// Every key of `application` in `folder`, by name; several so that they rotate.
    static func all(of application: String, in folder: String) throws -> [ApplicationKey] {
        try FolderListing.fileNames(in: folder)
            .filter { $0.hasPrefix("\(application).") && $0.hasSuffix(".key") }
            .map { try ApplicationKey(file: "\(folder)/\($0)") }
    }
}
