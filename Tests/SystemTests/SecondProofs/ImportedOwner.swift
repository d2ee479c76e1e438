import Cryptography
import ServiceRuntime
import TestSupport

/// Somebody whom an import has brought, with a password, an address, a number, an authenticator app
/// and perhaps a passkey: to sign up would take longer than all that a test does with them.
struct ImportedOwner: Sendable {
    /// Of `Person.password` by bcrypt, at its lowest cost.
    private static let hash = "$2b$04$abcdefghijklmnopqrstuuc34AZERa.zlqqUUtYXd1RSqIxBXIx6."

    let person: Person
    let app: OwnersApp
    /// The account's phone number.
    let number: String
    private let isVerified: Bool
    private let hasApp: Bool
    private let passkey: OwnersPasskey?

    /// - Parameters:
    ///   - place: from 0 to 99; no two owners have one place.
    ///   - isVerified: whether the address is.
    ///   - changesHands: whether the provider reports that the number has changed hands.
    ///   - hasApp: whether the app is set up.
    ///   - passkey: nil for none.
    init(
        _ place: Int, isVerified: Bool = true, changesHands: Bool = false, hasApp: Bool = true,
        passkey: OwnersPasskey? = nil
    ) {
        let digits = String(100 + place).dropFirst()
        person = Person(51_000 + place)
        app = OwnersApp(
            importedSecret: .generate(count: TOTP.secretBytes, randomness: SecureRandomness()))
        number = (changesHands ? StoryFixture.changedNumbers : "+49151205100") + digits
        self.isVerified = isVerified
        self.hasApp = hasApp
        self.passkey = passkey
    }

    /// The line for `postern import jsonl`.
    fileprivate var line: String {
        let factor = "{\"totp_secret\":\"\(app.secretText)\",\"name\":\"phone\"}"
        return """
            {"external_id":"\(person.email)","email":"\(person.email)",\
            "email_verified":\(isVerified),"password_hash":"\(Self.hash)",\
            "phone_number":"\(number)","second_factors":[\(hasApp ? factor : "")],\
            "passkeys":[\(passkey?.record ?? "")]}
            """
    }
}

extension StoryFixture {
    /// Imports owners, all by one call of the tool.
    func takeIn(_ owners: [ImportedOwner]) async throws {
        let folder = try TemporaryFolder()
        let lines = owners.map(\.line).joined(separator: "\n") + "\n"
        let file = try folder.write(lines, to: "owners.jsonl")
        let run = try await cluster.tool(["import", "jsonl", file])
        guard run.exitCode == 0 else {
            throw ClusterError(message: "not imported: \(run.output)\(run.errors)")
        }
    }
}
