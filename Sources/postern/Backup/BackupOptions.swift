import ArgumentParser
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

    func validate() throws {
        guard !recipient.contains("") else {
            throw ValidationError(
                "--recipient is empty; compose takes it from POSTERN_BACKUP_RECIPIENT in .env")
        }
        guard !recipient.isEmpty else {
            throw ValidationError(
                """
                a backup is always encrypted, so say to whom: --recipient age1…, of a key that \
                `postern backup key backup-key.txt` makes
                """)
        }
    }

    /// Who can open the backup.
    /// - Throws: `ToolError` for a text that is no recipient.
    func all() throws -> [String] {
        // `age` would repeat it in its error, and it may be a secret key by mistake.
        if let index = recipient.firstIndex(where: { !$0.hasPrefix("age1") }) {
            throw ToolError(
                "--recipient, number \(index + 1): no recipient, which begins with age1. A secret "
                    + "key stays in its file")
        }
        return recipient
    }
}

/// The options of a command that opens a backup.
struct IdentityOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The identity file of age that opens the backup. Without it, age asks at the terminal \
            for the passphrase of a backup that an earlier version encrypted with one.
            """, valueName: "file"))
    var identity: String?
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
