import ArgumentParser

/// `postern import`: accounts of another system, with their passwords (I-03).
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Takes the accounts of another system in, with their passwords.",
        discussion: """
            An account that came before is left as it is, so the same file can be taken in again, \
            and a run that was stopped goes on where it was. An email, a phone number or a \
            provider's identity that another account has is refused and never merged. People sign in \
            with the passwords they have; at their first sign-in these are hashed anew.

            While hashes of a slow algorithm are stored, every failed sign-in takes as long as one \
            of them, so that its time tells nobody who came from elsewhere.

            Exits with 0 when all were taken, 2 when some were refused (they are named in \
            FILE.refused.jsonl), 1 when it could not go on.
            """,
        subcommands: [ImportFirebaseCommand.self, ImportLinesCommand.self])
}

/// `postern import jsonl FILE`.
struct ImportLinesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jsonl",
        abstract: "Takes in accounts from lines of JSON, one for each.",
        discussion: """
            Members of a line; all but external_id may be absent, and no others are taken:

              external_id          the account's id in that system
              email, email_verified, phone_number (+4915112345678)
              password_hash        one of
                                     $2b$10$…                          bcrypt, also $2a$ and $2y$
                                     $argon2id$v=19$m=…,t=…,p=…$…$…    also argon2i, argon2d
                                     $scrypt$ln=14,r=8,p=1$SALT$HASH
                                     $pbkdf2-sha256$i=600000$SALT$HASH also -sha1, -sha512
                                   where SALT and HASH are Base64 without padding
              display_name, photo_url, language, disabled
              created_at_ms, last_sign_in_at_ms     milliseconds since 1970
              custom_claims        an object of 1,000 bytes at the most; kept, not yet in tokens
              identities           [{"method": "google", "issuer": "https://accounts.google.com",
                                     "subject": "…", "email": "…", "display_name": "…"}]

            A hash that would take more than 128 MiB or a second to check is refused.
            """)

    @Argument(help: "The file; - for standard input.")
    var file: String

    @Option(help: "A name for the system that they come from; ids are told apart by it.")
    var source = "elsewhere"

    @OptionGroup var options: ImportOptions

    func run() async throws {
        try await options.run(file, source: source) { _ in .lines }
    }
}
