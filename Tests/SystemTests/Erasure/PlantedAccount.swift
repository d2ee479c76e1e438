import Contracts
import Cryptography
import Foundation
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

/// Two accounts that have something in as many tables and files as the app's and the operator's
/// calls can put there: a child's, and one that was imported and suspended.
///
/// Not planted: a grant at Apple, whose deletion is tried for 30 days; a claim, which ends when its
/// address is verified; an unlinked identity; a device's key; a message that failed, and the
/// suppression of an address; counters of limits, whose names are keyed hashes.
struct PlantedAccount {
    /// The settings that it needs.
    static let settings = [
        "POSTERN_CONSENT": "required", "POSTERN_TERMS_VERSION": "t1",
        "POSTERN_PRIVACY_VERSION": "p1", "POSTERN_TERMS_URL": "https://app.example/terms",
        "POSTERN_AGE_GATE": "required", "POSTERN_BIRTH_DATE": "keep",
        "POSTERN_PARENTAL_CONSENT": "allowed", "POSTERN_GUEST_DATA": "ask",
        "POSTERN_DOCUMENT_COUNT_MAX": "\(documentsMax)",
    ].merging(SharedProfileFixture.settings) { own, _ in own }
        .merging(AccountsBackend.settings) { own, _ in own }

    /// The tables that have something of the two, those of audit events apart.
    static let tables: Set = [
        "identity.accounts", "identity.account_keys", "identity.profiles",
        "identity.email_addresses", "identity.passwords", "identity.identities",
        "identity.documents", "identity.document_totals", "identity.photos", "identity.consents",
        "identity.guest_migrations", "identity.guest_migration_documents",
        "identity.parental_consents", "identity.known_devices",
        "identity.sign_in_memory", "identity.suspensions",
        "identity.imported_accounts", "identity.custom_claims", "identity.passkeys",
        "identity.links",
        "identity.email_changes", "identity.phone_codes", "identity.deletions",
        "identity.exports", "identity.notices", "identity.second_factors",
        "identity.recovery_codes", "identity.sign_in_challenges", "session.session",
        "session.account_claims",
        "notification.push_device", "notification.message",
    ]

    static let email = "canary.5f1c9e0b@example.org"
    private static let newEmail = "canary.changed.5f1c9e0b@example.org"
    private static let parent = "canary.parent.5f1c9e0b@example.org"
    private static let name = "Canary Name 5f1c9e0b"
    private static let device = GatewayV1.Device(
        deviceId: "canary-device-id-5f1c9e0b", platform: "ios", name: "Canary Device 5f1c9e0b")
    private static let number = "+4915120377001"
    private static let subject = "canary-google-subject-5f1c9e0b"
    private static let document = "canary-document-5f1c9e0b"
    private static let pushToken = "canary-push-token-5f1c9e0b"
    private static let imported = "canary.imported.5f1c9e0b@example.org"
    private static let externalID = "canary-external-5f1c9e0b"
    private static let claim = "canary-claim-5f1c9e0b"
    private static let passkey = "canary-passkey-5f1c9e0b"
    private static let role = "canary-role-5f1c9e0b"
    private static let reason = "canary-reason-5f1c9e0b"
    private static let factor = "Canary App 5f1c9e0b"
    /// What a file would show if it contained it in clear.
    private static let texts = [
        email, newEmail, parent, name, device.name, device.deviceId, String(number.dropFirst(3)),
        subject, document, pushToken, imported, externalID, claim, role, passkey, reason, factor,
        TestPhoto.gps,
    ]
    /// What an operator's export of all accounts shows while the two exist.
    static let exported = [
        email, name, number, subject, imported, externalID, claim, role, passkey,
    ]
    /// All texts contain it.
    static let mark = "5f1c9e0b"
    private static let documentsMax = 5
    private static let person = Person(34_201)

    /// After the set-up of a second factor its access token is another one.
    private(set) var app: SignedInApp
    private let photo = TestPhoto.jpeg(seed: 34_201, isTagged: true)
    /// What the stores have had of them.
    private(set) var stored: StoredAccount

    /// Signs up, and plants.
    init(_ fixture: StoryFixture) async throws {
        let (person, device) = (Self.person, Self.device)
        let year = Calendar(identifier: .gregorian).component(.year, from: Date())
        let signedUp = try await fixture.backend.auth.signUpWithPassword(
            .init(
                email: Self.email, password: .init(text: Person.password), device: device,
                displayName: Self.name, acceptance: Self.acceptance(bornIn: year - 10)),
            fixture.backend.context(person))
        app = SignedInApp(fixture, person, signedUp.session)
        let token = try await fixture.linkToken(to: Self.email, page: "verify-email")
        _ = try await fixture.backend.auth.verifyEmail(
            .init(token: token, device: device), app.context())
        let account = try #require(signedUp.account?.accountId)
        let pushDevice = try await fixture.cluster.registerPush(
            Self.pushToken, of: account, session: signedUp.session?.sessionId ?? "")
        stored = try StoredAccount(account, pushDevice, try await Self.takeIn(fixture))

        try await Self.askParent(app, fixture)
        try await Self.migrate(app, fixture)
        try await Self.giveRole(to: account, fixture)
        // It asks for a second proof from now on, which the session has.
        app = try await fixture.protect(app, name: Self.factor).signedIn
        try await plantMethods(fixture)
        try await Self.order(app, fixture)
        _ = try await fixture.challenge {
            try await fixture.backend.auth.signInWithPassword(
                .init(email: Self.email, password: .init(text: Person.password), device: device),
                fixture.backend.context(person))
        }
        stored.read(try await fixture.cluster.cells())
    }

    /// The acceptance of a sign-up. A year makes a child or a grown-up.
    static func acceptance(bornIn year: Int) -> GatewayV1.Acceptance {
        .init(
            termsVersion: "t1", privacyVersion: "p1", marketing: true,
            birthDate: .init(text: "\(year)-01-01"))
    }

    /// Imports the other account and suspends it.
    /// - Returns: its id.
    private static func takeIn(_ fixture: StoryFixture) async throws -> String {
        let folder = try TemporaryFolder()
        let own = try TestPasskey(randomness: SecureRandomness())
        let line = """
            {"external_id":"\(externalID)","email":"\(imported)","email_verified":true,\
            "custom_claims":{"team":"\(claim)"},"roles":["\(role)"],\
            "passkeys":[{"credential_id":"\(Base64URL.encode(own.id))",\
            "public_key":"\(Base64URL.encode(own.publicKey))",\
            "user_handle":"\(Base64URL.encode(Array("handle".utf8)))",\
            "name":"\(passkey)","rp_id":"localhost"}]}

            """
        let file = try folder.write(line, to: "accounts.jsonl")
        let suspend = ["accounts", "suspend", imported, "--reason", reason]
        for command in [["import", "jsonl", file], suspend] {
            let run = try await fixture.cluster.tool(command)
            guard run.exitCode == 0 else { throw ClusterError(message: "\(command): \(run)") }
        }
        let shown = try await fixture.cluster.tool(["accounts", "look-up", imported])
        let id = try #require(shown.output.firstMatch(of: /acc_[0-9a-z]{13}/), "\(shown)")
        return String(id.output)
    }

    /// A role of the app's backend, as session has it for the account's tokens.
    private static func giveRole(to account: String, _ fixture: StoryFixture) async throws {
        let given = try await AccountsBackend(fixture.cluster).call(
            "SetAccountClaims", of: account,
            ["roles": [role], "claimsJson": nil, "baseVersion": nil, "effect": nil])
        #expect(given.status == 200, "\(given.body)")
        let isThere = try await eventually {
            try await fixture.cluster.cells().contains { $0.row.place == "session.account_claims" }
        }
        #expect(isThere)
    }

    /// A parent's address, and the parent's consent.
    private static func askParent(_ app: SignedInApp, _ fixture: StoryFixture) async throws {
        _ = try await fixture.backend.consents.requestParentalConsent(
            .init(parentEmail: parent), app.context())
        let token = try await fixture.linkToken(to: parent, page: "parent")
        let given = try await fixture.backend.consents.answerParentalConsent(
            .init(token: .init(text: token), answer: .give), fixture.backend.context(person))
        #expect(given.state == .given)
    }

    /// Documents, a draft, a guest's documents that were merged with a choice, and a bundle of which
    /// not all has room.
    private static func migrate(_ app: SignedInApp, _ fixture: StoryFixture) async throws {
        let note = #"{"note":"\#(document)"}"#
        try await app.write("settings", note)
        try await app.save("your-goals", #"{"primaryGoal":"maintain"}"#)
        let session = try await fixture.backend.guests.signInAsGuest(
            .init(device: device), fixture.backend.context(person)
        ).session
        let guest = SignedInApp(fixture, person, session)
        try await guest.write("settings", note)
        try await guest.write("settings", note, name: "guest")
        let signedIn = try await fixture.backend.auth.signInWithPassword(
            .init(email: email, password: .init(text: Person.password), device: device),
            guest.context())
        let collision = try #require(signedIn.collision)
        let chosen = try await fixture.backend.guests.chooseGuestData(
            .init(
                choiceToken: collision.choiceToken, choice: .merge,
                picks: [.init(collection: "settings", name: "main", keep: .account)]),
            app.context())
        #expect(try await app.ended(chosen.migration?.migrationId ?? "").state == .succeeded)
        let bundle = try await WebClient(fixture.cluster).putGuestBundle(
            (0..<documentsMax).map {
                [
                    "collection": "settings", "name": "\(document)-\($0)",
                    "json": note, "changedAtMs": 1_700_000_000_000,
                ]
            }, app.context(key: "bundle-34201-once-and-again"))
        #expect(try await app.ended(bundle.migrationId).state == .needsAttention)
    }

    /// A photo, a number, a provider and a change of address.
    private func plantMethods(_ fixture: StoryFixture) async throws {
        let uploaded = try await WebClient(fixture.cluster).putPhoto(photo, app.context())
        #expect(uploaded.status == 200, "\(uploaded.body)")
        let (request, code) = try await fixture.code(
            to: Self.number, for: .link, person: Self.person,
            accessToken: app.session?.accessToken)
        _ = try await fixture.backend.phone.linkPhone(
            .init(
                requestId: request, phoneNumber: Self.number, code: code, device: Self.device),
            app.context())
        let token = try await fixture.googleToken(of: Self.subject, for: Self.person)
        _ = try await fixture.backend.methods.linkProvider(
            .init(token: token, device: Self.device), app.context())
        _ = try await fixture.backend.emails.requestEmailChange(
            .init(newEmail: Self.newEmail, device: Self.device), app.context())
        _ = try await fixture.linkToken(to: Self.newEmail, page: "change-email")
    }

    /// An export with its mail, and a deletion that waits, with its mail.
    private static func order(_ app: SignedInApp, _ fixture: StoryFixture) async throws {
        _ = try await fixture.backend.exports.requestDataExport(.init(), app.context())
        _ = try await fixture.linkToken(to: email, page: "your-data")
        #expect(try await app.delete(wait: true).state == .waiting)
        _ = try await fixture.linkToken(to: email, page: "keep-account")
    }

    /// Deletes both, as an operator: the export would make the owner wait.
    func delete(_ cluster: Cluster) async throws {
        for email in [Self.email, Self.imported] {
            let run = try await cluster.tool(["accounts", "delete", email, "--yes"])
            #expect(run.exitCode == 0, "\(run)")
        }
    }

    /// What is left of the two in the stores of a cluster, and in all its files; waits up to 10 s
    /// until nothing is.
    func left(in cluster: Cluster) async throws -> [String] {
        var found: [String] = []
        _ = try await eventually(within: .seconds(10)) {
            found = stored.left(in: try await cluster.cells())
            // Nothing to search for in files while a row is there.
            guard found.isEmpty else { return false }
            let files = cluster.files()
            let picture = Array(photo.dropFirst(1_000).prefix(64))
            found = stored.left(in: files)
            for file in files {
                found += Self.texts.filter(file.holds).map { "\(file.path) has \($0)" }
                if file.holds(picture) { found.append("\(file.path) has the photo") }
            }
            found += cluster.blobs
            return found.isEmpty
        }
        return found
    }
}

extension Cluster {
    /// The names of the files of photos and exports, or of their rows on a server.
    var blobs: [String] {
        if let storeURL {
            // A table that cannot be read has none that a test waits for.
            let names = try? TestServer.durable.get().run(
                "SELECT name FROM identity.blob", at: storeURL)
            return names?.split(separator: "\n").map(String.init) ?? []
        }
        // Before the first one there is no folder.
        return (try? FileManager.default.contentsOfDirectory(atPath: "\(data)/data/blobs")) ?? []
    }
}

extension Cluster {
    /// Registers a device for pushes, as a backend does.
    /// - Returns: its id.
    func registerPush(
        _ token: String, of account: String, session: String
    ) async throws -> String {
        struct Registered: Decodable {
            let deviceId: String
        }
        let request = """
            {"accountId":"\(account)","sessionId":"\(session)","token":"\(token)",\
            "platform":"PUSH_PLATFORM_FCM"}
            """
        return try await call("postern.notification.v1.PushDevices/Register", request)
            .read(Registered.self).deviceId
    }
}
