import Addresses
import Contracts
import Messages
import Outbound
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService
@testable import PersonalData

@Suite("I-06, O-01: in a restored identity store nothing works twice", .timeLimit(.minutes(1)))
struct IdentityRestoreTests {
    /// The state of a fixture's store at one moment, and the service that starts on it.
    private struct Backup {
        let folder: TemporaryFolder
        let original: IdentityFixture

        init(of original: IdentityFixture) async throws {
            (folder, self.original) = (try TemporaryFolder(), original)
            try await original.store.backup(to: folder.file("identity.sqlite"))
        }

        /// Starts as the program does.
        func restored(seed: UInt64 = 2) async throws -> IdentityFixture {
            let fixture = try IdentityFixture(
                folder: folder, time: original.time, seed: seed,
                enumeration: original.settings.enumeration)
            try await IdentityRestore.settle(fixture.store)
            return fixture
        }
    }

    private func resetToken(_ fixture: IdentityFixture) async throws -> String {
        _ = try await fixture.credentials.requestPasswordReset(
            .init(email: "ada@example.org", device: IdentityFixture.device), fixture.context())
        try await fixture.relay()
        return try fixture.latestToken("reset-password")
    }

    private func reset(
        _ fixture: IdentityFixture, _ token: String, _ password: String, key: String? = nil
    ) async throws {
        _ = try await fixture.credentials.resetPassword(
            .init(
                token: token, password: .init(text: password), device: IdentityFixture.device),
            fixture.context(key))
    }

    @Test("G-11: a reset link that was used after the backup is refused; a new one works")
    func resetLink() async throws {
        let fixture = try IdentityFixture()
        _ = try await fixture.registerProved()
        let token = try await resetToken(fixture)
        let backup = try await Backup(of: fixture)
        try await reset(fixture, token, "Owner8Password", key: "k")
        let restored = try await backup.restored()
        let error = try await refusal { try await reset(restored, token, "Thief8Password") }
        #expect(error.code == .invalidLink)
        let repeated = try await refusal {
            try await reset(restored, token, "Owner8Password", key: "k")
        }
        #expect(repeated.code == .invalidLink)
        _ = try await restored.signIn()
        try await reset(restored, try await resetToken(restored), "Newer8Password")
        _ = try await restored.signIn(password: "Newer8Password")
    }

    @Test("G-12: a verification link is refused, also in its own session; another is sent")
    func verification() async throws {
        let fixture = try IdentityFixture()
        let account = try #require(try await fixture.register().account)
        try await fixture.relay()
        let token = try fixture.latestToken()
        let restored = try await Backup(of: fixture).restored()
        let session = restored.devices.open(account.accountId)
        func confirm(_ token: String) async throws {
            _ = try await restored.accounts.confirmEmail(
                .init(token: token), restored.relayed(session))
        }
        #expect(try await refusal { try await confirm(token) }.code == .invalidLink)
        _ = try await restored.credentials.resendVerification(
            .init(device: IdentityFixture.device), restored.relayed(session))
        try await restored.relay()
        try await confirm(try restored.latestToken())
    }

    @Test("G-12: a change of address that its owner cancelled after the backup stays cancelled")
    func emailChange() async throws {
        let fixture = try IdentityFixture()
        let account = try await fixture.registerProved()
        let access = fixture.devices.open(account.accountId)
        _ = try await fixture.requestChange("thief@example.org", access)
        try await fixture.relay()
        let token = try fixture.changeToken()
        let backup = try await Backup(of: fixture)
        #expect(try await fixture.cancelChange(access))
        let restored = try await backup.restored()
        let session = restored.devices.open(account.accountId)
        #expect(try await restored.refusedChange(token, access: session) == .invalidLink)
        #expect(
            try await restored.refusedChange(token, password: "Correct7Horse") == .invalidLink)
        #expect(try await restored.pendingEmail(account.accountId) == "")
        #expect(try await restored.signIn().account?.email == "ada@example.org")
    }

    @Test("X-02: a claim that another one superseded after the backup is void, as all are")
    func claims() async throws {
        let fixture = try IdentityFixture(enumeration: .strict)
        var claims: [(account: String, token: String)] = []
        for _ in 0..<2 {
            let account = try #require(try await fixture.register().account)
            try await fixture.relay()
            claims.append((account.accountId, try fixture.latestToken()))
        }
        let backup = try await Backup(of: fixture)
        _ = try await fixture.accounts.confirmEmail(
            .init(token: claims[1].token),
            fixture.relayed(fixture.devices.open(claims[1].account)))
        let restored = try await backup.restored()
        for claim in claims {
            let error = try await refusal {
                try await restored.accounts.confirmEmail(
                    .init(token: claim.token, password: .init(text: "Correct7Horse")),
                    restored.relayed(restored.devices.open(claim.account)))
            }
            #expect(error.code == .invalidLink)
            #expect(try await restored.pendingEmail(claim.account) == "")
        }
        let again = try #require(try await restored.register().account)
        try await restored.relay()
        _ = try await restored.accounts.confirmEmail(
            .init(token: try restored.latestToken()),
            restored.relayed(restored.devices.open(again.accountId)))
        _ = try await restored.signIn()
    }

    @Test("F-03: a sign-in that waited at the backup must begin again")
    func challenge() async throws {
        let person = try await GatedPerson(.standard)
        try await person.phones.change()
        let challenge = try await person.begin(.phone)
        let backup = try await Backup(of: person.identity)
        _ = try await person.identity.complete(challenge, .password("Correct7Horse"))
        let restored = try await backup.restored()
        let error = try await refusal {
            try await restored.complete(challenge, .password("Correct7Horse"))
        }
        #expect(error.code == .invalidChallenge)
    }

    @Test("F-04: codes that an app shows at the restore are void, used or not; later ones work")
    func authenticatorApp() async throws {
        let fixture = try IdentityFixture()
        let account = try await fixture.registerProved().accountId
        let apps = [
            try await fixture.plantFactor(in: account), try await fixture.plantFactor(in: account),
        ]
        let backup = try await Backup(of: fixture)
        let now = fixture.time.now()
        try await fixture.prove(.totpCode(apps[0].code(at: now)), in: fixture.devices.open(account))
        let restored = try await backup.restored()
        let session = restored.devices.open(account)
        for offset in [-30, 0, 30] {
            for app in apps {
                let code = app.code(at: now + .seconds(offset))
                let error = try await refusal {
                    try await restored.prove(.totpCode(code), in: session)
                }
                #expect(error.code == .invalidCode, "\(offset)")
            }
        }
        // Also at a sign-in, which asks for the factors of the copy.
        let challenge = try await restored.challenge { try await restored.signIn() }
        let used = try await refusal {
            try await restored.complete(challenge, .totpCode(apps[0].code(at: now)))
        }
        #expect(used.code == .invalidCode)
        restored.time.advance(by: .seconds(60))
        for app in apps {
            let code = app.code(at: restored.time.now())
            try await restored.prove(.totpCode(code), in: session)
        }
        // Nothing shows which recovery codes were used since.
        #expect(try await restored.count("recovery_codes") == 10)
    }

    @Test("F-03: a removal of factors that waited at the backup has ended, and is done by nothing")
    func factorReset() async throws {
        let fixture = try IdentityFixture()
        let account = try await fixture.registerProved().accountId
        _ = try await fixture.plantFactor(in: account)
        try await fixture.resetFactors(of: account)
        let restored = try await Backup(of: fixture).restored()
        let token = restored.devices.open(account)
        #expect(try await restored.listFactors(token).resetAtMs == 0)
        restored.time.advance(by: restored.settings.secondFactors.resetWait)
        try await restored.finishResets()
        #expect(try await restored.listFactors(token).factors.count == 1)
        // Support can begin it again, and the owner is told.
        #expect(try await restored.resetFactors(of: account).changed)
        #expect(try await restored.delivered("second-factor-reset-requested") != nil)
    }

    @Test("G-06: a code that was used after the backup has expired; a new one signs in")
    func phoneCode() async throws {
        let fixture = PhoneCodeFixture(try IdentityFixture())
        let sent = try await fixture.sent()
        let backup = try await Backup(of: fixture.identity)
        let account = try #require(try await fixture.signIn(sent).account)
        #expect(account.methods == ["phone"])
        let restored = PhoneCodeFixture(try await backup.restored())
        for guess in [sent, sent.wrong] {
            let error = try await refusal { try await restored.signIn(guess) }
            #expect(error.code == .codeExpired)
        }
        #expect(try await restored.signIn(try await restored.sent()).isNewUser)
    }

    @Test("G-25: a repeat of a call from before the backup gets no new proof by its used code")
    func repeated() async throws {
        let fixture = PhoneCodeFixture(try IdentityFixture())
        let sent = try await fixture.sent()
        _ = try await fixture.signIn(sent, key: "k")
        let backup = try await Backup(of: fixture.identity)
        #expect(try await fixture.signIn(sent, key: "k").proof != nil)
        let restored = PhoneCodeFixture(try await backup.restored())
        let error = try await refusal { try await restored.signIn(sent, key: "k") }
        #expect(error.code == .codeExpired)
    }

    @Test("G-05: nonces from before the restore are void, used or not; later ones work, once")
    func nonces() async throws {
        let fixture = try IdentityFixture()
        let google = Provider(
            name: "google", issuers: ["https://google.example"], audiences: ["a"],
            jwksLocation: .at(
                try #require(HTTPURL("https://google.example/keys", allowsPlain: false))),
            emailTrust: .verified)
        let nonces = Nonces(
            key: fixture.keys.nonces, time: fixture.time, randomness: fixture.randomness)
        func proved() throws -> ProvedIdentity {
            var proved = ProvedIdentity(
                method: .provider("google"), issuer: "https://google.example", subject: "ada")
            let nonce = nonces.issue(for: google).nonce
            proved.nonce = try nonces.read(nonce, for: google, at: fixture.time.now())
            return proved
        }
        let used = try proved()
        let backup = try await Backup(of: fixture)
        _ = try await fixture.signIn(used)
        fixture.time.advance(by: .seconds(60))
        let unknown = try proved()
        let restored = try await backup.restored()
        for proved in [used, unknown] {
            let error = try await refusal { try await restored.signIn(proved) }
            #expect(error.code == .invalidNonce)
        }
        #expect(try await restored.count("accounts") == 0)
        fixture.time.advance(by: .seconds(1))
        let next = try proved()
        _ = try await restored.signIn(next)
        #expect(try await refusal { try await restored.signIn(next) }.code == .invalidNonce)
        fixture.time.advance(by: Nonces.life + Nonces.rememberedBeyond + .seconds(2))
        try await restored.purge()
        #expect(try await restored.count("used_nonces") == 0)
    }

    @Test(
        "mails, texts, notices and reset requests of the backup are not sent; ends of sessions are")
    func outbox() async throws {
        let fixture = PhoneCodeFixture(try IdentityFixture())
        let identity = fixture.identity
        let ada = try #require(try await identity.register().account)
        _ = try await fixture.request()
        _ = try await identity.credentials.requestPasswordReset(
            .init(email: "ada@example.org", device: IdentityFixture.device), identity.context())
        let account = try #require(AccountID(text: ada.accountId))
        let (outbox, notices) = (identity.outbox, identity.writer.notices)
        try await identity.store.writeUnchecked { transaction in
            try transaction.endSessions(of: account, provedUntil: transaction.at, outbox)
            try transaction.enqueue(outbox.revokeDevices(account))
            try notices.write(.passwordChanged, to: account, DeviceShown(nil), transaction)
        }
        // A notice is a mail and an order for push and text.
        #expect(try await identity.waiting() == 7)
        let restored = try await Backup(of: identity).restored()
        #expect(
            try await restored.count(
                "outbox", where: "topic IN ('end-account', 'revoke-devices')") == 2)
        try await restored.relay()
        #expect(restored.sessions.ended.map(\.accountId) == [ada.accountId])
        #expect(restored.notifications.calls == 0 && restored.texts.texts.isEmpty)
        #expect(restored.pushes.calls == 0)
    }

    @Test("I-07: after a restore no earlier position of a document's change can be resumed")
    func documents() async throws {
        let fixture = try await DocumentFixture()
        _ = try await fixture.write("{}")
        let position = try await fixture.list().position
        let restored = try await Backup(of: fixture.identity).restored()
        let account = try #require(AccountID(text: fixture.account))
        let totals = try await restored.store.read { try $0.documentOwner(account)?.totals }
        #expect(totals?.canResume(after: position) == false)
        #expect(totals?.documents == 1)
    }

    @Test("a restore is settled once, with a record; an ordinary start voids nothing")
    func once() async throws {
        let fixture = try IdentityFixture()
        _ = try await fixture.registerProved()
        let token = try await resetToken(fixture)
        let backup = try await Backup(of: fixture)
        try await IdentityRestore.settle(fixture.store)
        #expect(try await fixture.count("links") == 1)
        let restored = try await backup.restored()
        #expect(try await restored.audited("store.backup-restored") == 1)
        let new = try await resetToken(restored)
        restored.store.close()
        let next = try await backup.restored(seed: 3)
        #expect(try await next.audited("store.backup-restored") == 1)
        #expect(
            try await refusal { try await reset(next, token, "Other8Password") }.code
                == .invalidLink)
        try await reset(next, new, "Newer8Password")
    }

    @Test("what the first start will end can be counted before it")
    func counts() async throws {
        let fixture = PhoneCodeFixture(try IdentityFixture())
        let identity = fixture.identity
        let account = try await identity.registerProved()
        _ = try await identity.requestChange(
            "new@example.org", identity.devices.open(account.accountId))
        _ = try await resetToken(identity)
        _ = try await fixture.request()
        let backup = try await Backup(of: identity)
        let now = identity.time.now()
        func ended(
            _ store: Store, at moment: Timestamp
        ) async throws -> [(what: String, count: Int)] {
            try await store.read { try IdentityTables.endedByRestore(in: $0, at: moment) }
        }
        let before = try await ended(identity.store, at: now)
        #expect(before.map(\.count) == [1, 1, 0, 1, 0, 0, 1])
        let later = try await ended(identity.store, at: now + .seconds(86_400))
        #expect(later.map(\.count) == [0, 0, 0, 0, 0, 0, 1])
        let restored = try await backup.restored()
        #expect(try await ended(restored.store, at: now).allSatisfy { $0.count == 0 })
        let recorded = try await restored.store.read { session in
            try session.queryOne(
                "SELECT attempt FROM audit WHERE kind = 'store.backup-restored'"
            ) { try $0.integer(0) }
        }
        #expect(recorded == 4)
    }
}
