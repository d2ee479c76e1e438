import ArgumentParser

extension ImportCommand {
    /// `postern import firebase FILE`.
    struct Firebase: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Imports a Firebase project's users.",
            discussion: """
                FILE is the output of `firebase auth:export FILE --format=json`. Copy the hash \
                parameters from the console (Authentication, Users, the menu: Password hash \
                parameters) to a file, unchanged. They are secret: protect the file from other \
                users. The service stores them encrypted, also in a dry run.

                Data that the export lacks is counted and reported at the end: passwords without \
                hash or salt (the exporting user needs permission to see them), second factors, \
                tenants, links to unknown providers, and anonymous users, who could not sign in.

                  --provider microsoft.com=microsoft,https://login.microsoftonline.com/…/v2.0
                """)

        @Argument(help: "The export, in JSON.")
        var file: String

        @Option(help: "A file with the project's password hash parameters from the console.")
        var hashConfig: String?

        @Flag(help: "Import the users without their passwords; they can set new ones by mail.")
        var withoutPasswords = false

        @Option(help: "A provider: Firebase's name, its name here, its issuer: NAME=METHOD,ISSUER.")
        var provider: [String] = []

        @Option(help: "A name for the project; ids are unique within it.")
        var source = "firebase"

        @OptionGroup var options: Options

        func validate() throws {
            guard (hashConfig == nil) == withoutPasswords else {
                throw ValidationError(
                    "give the project's hash parameters with --hash-config, or --without-passwords")
            }
        }

        func run() async throws {
            let providers = try Self.providers(provider)
            let config = try hashConfig.map { path in
                let text = String(decoding: try TextFile.read(path), as: UTF8.self)
                do {
                    return try FirebaseUser.HashConfig(text)
                } catch {
                    throw ToolError("\(path): \(error)")
                }
            }
            try await options.run(file, source: source) { caller in
                FirebaseUser(hashPrefix: try await prefix(config, caller), providers: providers)
            }
        }

        private func prefix(
            _ config: FirebaseUser.HashConfig?, _ caller: Caller
        ) async throws -> String? {
            guard let config else { return nil }
            let id = try await caller.storeHashParameters(
                signerKey: config.signerKey, saltSeparator: config.saltSeparator)
            return "$firebase-scrypt$m=\(config.memoryCost),r=\(config.rounds)$k=\(id)"
        }

        static func providers(_ texts: [String]) throws -> [String: FirebaseUser.Provider] {
            var providers = FirebaseUser.providers
            for text in texts {
                let sides = text.split(separator: "=", maxSplits: 1).map(String.init)
                let names = sides.count == 2 ? sides[1].split(separator: ",", maxSplits: 1) : []
                guard names.count == 2 else {
                    throw ValidationError("\(text): a provider is NAME=METHOD,ISSUER")
                }
                providers[sides[0]] = FirebaseUser.Provider(
                    method: String(names[0]), issuer: String(names[1]))
            }
            return providers
        }
    }
}
