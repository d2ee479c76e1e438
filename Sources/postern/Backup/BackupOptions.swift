import ArgumentParser
import Cryptography
import Glibc

/// The options of a command that encrypts a backup: to whom.
struct RecipientOptions: ParsableArguments {
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            """
            Who can open the backup: recipients of age, "age1…". `postern backup key` makes one \
            with its identity.
            """, valueName: "age1"))
    var recipient: [String] = []

    @Option(
        help: ArgumentHelp(
            "Or a file with a passphrase, which opens the backup.", valueName: "file"))
    var passphraseFile: String?

    func validate() throws {
        guard recipient.isEmpty != (passphraseFile == nil) else {
            throw ValidationError(
                recipient.isEmpty
                    ? """
                    a backup is always encrypted, so say to whom: --recipient age1…, of a key \
                    that `postern backup key backup-key.txt` makes, or --passphrase-file FILE
                    """
                    : "a backup is encrypted to recipients or with a passphrase, not both")
        }
    }

    /// Who can open the backup.
    /// - Throws: `ToolError` for a text that is no recipient, `SecretFileError`.
    func all() throws -> [AgeRecipient] {
        if let passphraseFile {
            return [.passphrase(try SecretFile.readLine(passphraseFile))]
        }
        return try recipient.enumerated().map { index, text in
            do {
                return .x25519(try AgePublicKey(text))
            } catch let error as AgeKeyError {
                // Without the text, which may be a secret key by mistake.
                throw ToolError("--recipient, number \(index + 1): \(error)")
            }
        }
    }
}

/// The options of a command that opens a backup.
struct IdentityOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The identity file of age that opens the backup.", valueName: "file"))
    var identity: String?

    @Option(
        help: ArgumentHelp(
            "Or a file with the passphrase that it was encrypted with.", valueName: "file"))
    var passphraseFile: String?

    func validate() throws {
        guard identity == nil || passphraseFile == nil else {
            throw ValidationError(
                "an identity or a passphrase opens the backup, so name one of them")
        }
    }

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

/// The option of a command that reads master keys.
struct KeysOption: ParsableArguments {
    /// Where `postern up` has them.
    private static let usual = ".postern/keys"

    @Option(
        help: ArgumentHelp(
            "The folder of the master keys. Default: \(KeysOption.usual), if it exists.",
            valueName: "folder"))
    var keys: String?

    /// The folder; nil if none is named and the usual one does not exist.
    var folder: String? {
        keys ?? (access(Self.usual, F_OK) == 0 ? Self.usual : nil)
    }
}
