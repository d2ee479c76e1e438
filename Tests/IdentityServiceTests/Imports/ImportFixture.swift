import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Testing

@testable import AccountLife
@testable import IdentityAssembly

/// The Imports service over an `IdentityFixture`, and records of other systems.
struct ImportFixture {
    /// bcrypt of "Correct7Horse" at the lowest cost, computed by libxcrypt.
    static let bcrypt = "$2b$04$abcdefghijklmnopqrstuuc34AZERa.zlqqUUtYXd1RSqIxBXIx6."
    static let firebasePassword = "user1password"

    let identity: IdentityFixture
    let imports: ImportsHandler

    init(_ identity: IdentityFixture) {
        self.identity = identity
        imports = identity.service.life.imports
    }

    static func record(
        _ id: String = "u1", email: String = "ada@example.org"
    ) -> IdentityV1.AccountRecord {
        IdentityV1.AccountRecord(
            externalId: id, email: email, emailVerified: true, passwordHash: bcrypt,
            displayName: "Ada", language: "en-GB")
    }

    var tool: CallContext { identity.context(application: "tool") }

    func take(
        _ records: [IdentityV1.AccountRecord], source: String = "elsewhere",
        emailsUnproved: Bool = false, dryRun: Bool = false
    ) async throws -> [IdentityV1.ImportAnswer] {
        try await imports.importAccounts(
            .init(
                source: source, accounts: records, emailsUnproved: emailsUnproved,
                dryRun: dryRun), tool
        ).answers
    }

    /// Stores Firebase's published parameters.
    func keepFirebaseProject() async throws -> Int64 {
        try await imports.keepHashParameters(
            .init(
                signerKey: #require(Base64.decode(Self.signerKey.utf8)), saltSeparator: [7]), tool
        ).parametersId
    }

    static let signerKey =
        "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="

    /// Firebase's published example hash.
    static func firebaseHash(_ project: Int64) -> String {
        "$firebase-scrypt$m=14,r=8$k=\(project)$42xEC+ixf3L2lw$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/"
            + "qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ"
    }

    /// All items of an export.
    func export(withHashes: Bool = true) async throws -> [IdentityV1.ExportAccountsItem] {
        var items: [IdentityV1.ExportAccountsItem] = []
        let stream = imports.exportAccounts(.init(withPasswordHashes: withHashes), tool)
        for try await item in stream { items.append(item) }
        return items
    }
}
