import ArgumentParser
import Contracts
import Messages
import RPC
import ServiceRuntime

/// `postern import`: imports accounts of another system, with their passwords (I-03).
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Imports the accounts of another system, with their passwords.",
        discussion: """
            An account that was imported before is not changed, so the same file can be imported \
            again, and a stopped import is resumed. A record with an email, a phone number or a \
            provider's identity of another account is rejected, never merged. Users sign in with \
            their existing passwords, which are rehashed at the first sign-in.

            While hashes of a slow algorithm are stored, every failed sign-in takes as long as one \
            of them, so that its time does not reveal which accounts were imported.

            Exits with 0 if all were imported, 2 if some were rejected (they are listed in \
            FILE.refused.jsonl), 1 if the import failed.
            """,
        subcommands: [Firebase.self, Lines.self])

    /// `postern import jsonl FILE`.
    struct Lines: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "jsonl",
            abstract: "Imports accounts from lines of JSON, one for each.",
            discussion: """
                Members of a line; all but external_id are optional, and other members are rejected:

                  external_id          the account's id in that system
                  email, email_verified, phone_number (+4915112345678)
                  password_hash        one of
                                         $2b$10$…                          bcrypt, also $2a$ \
                and $2y$
                                         $argon2id$v=19$m=…,t=…,p=…$…$…    also argon2i, argon2d
                                         $scrypt$ln=14,r=8,p=1$SALT$HASH
                                         $pbkdf2-sha256$i=600000$SALT$HASH also -sha1, -sha512
                                       where SALT and HASH are Base64 without padding
                  display_name, photo_url, language, disabled, onboarding_complete
                  created_at_ms, last_sign_in_at_ms     milliseconds since 1970
                  terms_version, privacy_version, marketing, analytics   consents
                  source               the system that this account comes from, instead of --source
                  account_id           ignored; `postern export` writes it
                  custom_claims        an object of at most 1,000 bytes, whose members are in the \
                account's
                                       access tokens
                  roles                ["admin"]: at most 32 words of a-z 0-9 - _ . : for its tokens
                  identities           [{"method": "google", \
                "issuer": "https://accounts.google.com",
                                         "subject": "…", "email": "…", "display_name": "…"}]
                  second_factors       [{"totp_secret": "JBSW…", "name": "…"}], at most 3: \
                authenticator
                                       apps of SHA-1, 6 digits and 30 seconds; others are left out

                A line {"hash_parameters": {…}}, as `postern export` writes it, applies to the \
                Firebase hashes after it.

                A hash that would take more than 128 MiB or a second to check is rejected.
                """)

        @Argument(help: "The file; - for standard input.")
        var file: String

        @Option(help: "A name for the system that they come from; ids are unique within it.")
        var source = "elsewhere"

        @OptionGroup var options: Options

        func run() async throws {
            try await options.run(file, source: source) { _ in nil }
        }
    }

    /// The options that all imports have in common.
    struct Options: ParsableArguments {
        @Flag(
            help: """
                Report the result for each record, and import none. Two records with one address \
                are found only if they are close to each other in the file.
                """)
        var dryRun = false

        @Flag(
            help: """
                Import all emails as unverified, whatever the file says: the first user who \
                verifies the address gets the account, and its old password is removed.
                """)
        var emailsUnproved = false

        @Option(help: "File for rejected records, one JSON line each. Default: FILE.refused.jsonl.")
        var deadLetters: String?

        @Flag(help: "Start from the beginning, even if an earlier run was stopped.")
        var fromStart = false

        @OptionGroup var services: EndpointsOption

        /// Imports a file and prints the summary.
        /// - Parameter firebase: makes the converter of a Firebase export; nil for lines of JSON.
        /// - Throws: `ExitCode` 2 if records were rejected.
        func run(
            _ path: String, source: String, _ firebase: (Caller) async throws -> FirebaseUser?
        ) async throws {
            let counts = try await services.call("identity") { caller in
                let run = ImportRun(
                    imports: ImportsClient(caller.client), source: source,
                    emailsUnproved: emailsUnproved, isDryRun: dryRun,
                    positionPath: path == "-" ? nil : "\(path).position",
                    deadLetterPath: deadLetterPath(path), time: SystemTime(),
                    context: { caller.client.context(timeout: .seconds(60)) })
                let firebase = try await firebase(caller)
                let start = try fromStart || dryRun ? 0 : run.start(of: path)
                if start > 0 {
                    Screen.line("resuming where the last run was stopped, at byte \(start)")
                }
                var file = try await AccountFile(path, firebase, from: start) { shared in
                    try await caller.storeHashParameters(
                        signerKey: shared.signerKey, saltSeparator: shared.saltSeparator)
                }
                return try await run.run(&file)
            }
            ProgressLine.onTerminal("")
            for line in counts.lines(isDryRun: dryRun) { Screen.line(line) }
            guard counts.refused > 0 else { return }
            Screen.line("rejected records and reasons: \(deadLetterPath(path))")
            throw ExitCode(2)
        }

        private func deadLetterPath(_ path: String) -> String {
            deadLetters ?? (path == "-" ? "refused.jsonl" : "\(path).refused.jsonl")
        }
    }
}

extension Caller {
    /// Stores hash parameters at the service.
    /// - Returns: their id there.
    func storeHashParameters(signerKey: [UInt8], saltSeparator: [UInt8]) async throws -> Int64 {
        let request = IdentityV1.KeepHashParametersRequest(
            signerKey: signerKey, saltSeparator: saltSeparator)
        return try await ImportsClient(client).keepHashParameters(request, context).parametersId
    }
}
