import ArgumentParser
import Cryptography

/// `postern import firebase FILE`.
struct ImportFirebaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "firebase",
        abstract: "Imports a Firebase project's users.",
        discussion: """
            FILE is the output of `firebase auth:export FILE --format=json`. Copy the hash \
            parameters from the console (Authentication, Users, the menu: Password hash \
            parameters) to a file, unchanged. They are secret: protect the file from other users. \
            The service stores them encrypted, also in a dry run.

            Data that the export lacks is counted and reported at the end: passwords without hash \
            or salt (the exporting user needs permission to see them), second factors, tenants, \
            links to unknown providers, and anonymous users, who could not sign in.

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

    @OptionGroup var options: ImportOptions

    func validate() throws {
        guard (hashConfig == nil) == withoutPasswords else {
            throw ValidationError(
                "give the project's hash parameters with --hash-config, or --without-passwords")
        }
    }

    func run() async throws {
        let providers = try Self.providers(provider)
        let config = try hashConfig.map { path in
            try FirebaseHashConfig(String(decoding: TextFile.read(path), as: UTF8.self))
        }
        try await options.run(file, source: source) { caller in
            .firebase(
                FirebaseUser(
                    hashPrefix: try await prefix(config, caller), providers: providers))
        }
    }

    private func prefix(
        _ config: FirebaseHashConfig?, _ caller: Caller
    ) async throws -> String? {
        guard let config else { return nil }
        let id = try await caller.keepHashParameters(
            signerKey: config.signerKey, saltSeparator: config.saltSeparator)
        return "$firebase-scrypt$m=\(config.memoryCost),r=\(config.rounds)$k=\(id)"
    }

    static func providers(_ texts: [String]) throws -> [String: FirebaseProvider] {
        var providers = FirebaseUser.providers
        for text in texts {
            let sides = text.split(separator: "=", maxSplits: 1).map(String.init)
            let names = sides.count == 2 ? sides[1].split(separator: ",", maxSplits: 1) : []
            guard names.count == 2 else {
                throw ValidationError("\(text): a provider is NAME=METHOD,ISSUER")
            }
            providers[sides[0]] = FirebaseProvider(
                method: String(names[0]), issuer: String(names[1]))
        }
        return providers
    }
}

/// The "Password hash parameters" of a project, as Firebase's console shows them:
///
///     hash_config {
///       algorithm: SCRYPT,
///       base64_signer_key: jxsp…,
///       base64_salt_separator: Bw==,
///       rounds: 8,
///       mem_cost: 14,
///     }
struct FirebaseHashConfig: Hashable {
    let signerKey: [UInt8]
    let saltSeparator: [UInt8]
    let rounds: Int
    let memoryCost: Int

    /// Parses the copied text.
    /// - Throws: `ToolError`, naming what is missing.
    init(_ text: String) throws {
        var fields: [String: String] = [:]
        for line in text.split(whereSeparator: { "\n\r{},".contains($0) }) {
            let parts = line.split(separator: ":", maxSplits: 1).map { part in
                String(
                    part.drop { " \t\"".contains($0) }.reversed()
                        .drop { " \t\"".contains($0) }.reversed())
            }
            if parts.count == 2 { fields[parts[0]] = parts[1] }
        }
        func field(_ name: String) throws -> String {
            guard let text = fields[name] else {
                throw ToolError.badInput("the hash parameters have no \(name)")
            }
            return text
        }
        guard try field("algorithm") == "SCRYPT" else {
            throw ToolError.badInput("the hash parameters' algorithm is not SCRYPT")
        }
        guard let key = Base64.decode(try field("base64_signer_key").utf8),
            let separator = Base64.decode(try field("base64_salt_separator").utf8),
            let rounds = Int(try field("rounds")), let memoryCost = Int(try field("mem_cost"))
        else { throw ToolError.badInput("the hash parameters are invalid") }
        signerKey = key
        saltSeparator = separator
        self.rounds = rounds
        self.memoryCost = memoryCost
    }
}
