import Addresses
import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityService

@Suite("I-03: importing accounts of other systems", .timeLimit(.minutes(1)))
struct ImportAccountsTests {
    let identity: IdentityFixture
    let fixture: ImportFixture

    init() throws {
        identity = try IdentityFixture()
        fixture = ImportFixture(identity)
    }

    @Test("I-03: an imported password signs in and is then stored with the service's own hash")
    func oldPassword() async throws {
        let project = try await fixture.keepFirebaseProject()
        #expect(try await fixture.keepFirebaseProject() == project, "the same project keeps its id")
        var firebase = ImportFixture.record("u2", email: "bob@example.org")
        firebase.passwordHash = ImportFixture.firebaseHash(project)
        let answers = try await fixture.take([ImportFixture.record(), firebase])
        #expect(answers.map(\.outcome) == [.created, .created])
        #expect(try await identity.count("passwords", where: "scheme IS NOT NULL") == 2)

        let wrong = try await refusal {
            try await identity.signIn("bob@example.org", password: "user1passwore")
        }
        #expect(wrong == ServiceError(.invalidCredential))
        for (email, password) in [
            ("ada@example.org", "Correct7Horse"),
            ("bob@example.org", ImportFixture.firebasePassword),
        ] {
            for _ in 0..<2 {
                let answer = try await identity.signIn(email, password: password)
                #expect(answer.account?.emailVerified == true)
            }
        }
        #expect(try await identity.count("passwords", where: "scheme IS NOT NULL") == 0)
        let holder = try await identity.store.read { [keys = identity.keys] session in
            try session.owner(
                ofAddress: keys.lookUpKey(of: EmailAddress.required("bob@example.org"))
            )
            .flatMap { try session.passwordHolder($0) }
        }
        let row = try #require(holder)
        let stored = try identity.writer.reader.vault(row.row)
            .open(#require(row.sealedHash), .passwordHash)
        #expect(stored.hasPrefix("$argon2id$v=19$m=8,t=1,p=1$"))
    }

    @Test("I-01: every field of a record is stored in the account")
    func whole() async throws {
        var record = ImportFixture.record()
        record.photoUrl = "https://example.org/ada.png"
        record.phoneNumber = "+4915112345678"
        record.identities = [
            .init(
                method: "google", issuer: "https://accounts.google.com", subject: "1234",
                email: "ada@gmail.example", displayName: "Ada L.")
        ]
        record.createdAtMs = 1_500_000_000_000
        record.lastSignInAtMs = 1_600_000_000_000
        record.customClaims = #"{"admin":true,"level":7}"#
        record.roles = ["staff"]
        record.onboardingComplete = true
        record.termsVersion = "2026-01"
        record.privacyVersion = "two\nlines"
        record.analytics = true
        let answer = try #require(try await fixture.take([record]).first)
        #expect(answer.outcome == .created && answer.altered == ["privacy_version"])
        let account = try #require(
            try await identity.accounts.getAccount(
                .init(accountId: answer.accountId), identity.context()
            ).account)
        #expect(account.email == "ada@example.org" && account.emailVerified)
        #expect(account.displayName == "Ada" && account.photoUrl == record.photoUrl)
        #expect(account.methods == ["password", "google", "phone"])
        #expect(account.phoneNumber == record.phoneNumber)
        #expect(account.createdAtMs == 1_500_000_000_000)
        #expect(account.lastSignIn == .lastSignInAtMs(1_600_000_000_000))
        #expect(account.status == .active && !account.isGuest && account.onboardingComplete)
        #expect(account.roles == ["staff"])
        #expect(try await identity.count("audit", where: "kind = 'account.imported'") == 1)
        #expect(try await identity.count("consents", where: "source = 'import'") == 2)
        #expect(
            try await identity.count("consents", where: "kind = 1 AND version = '2026-01'") == 1)

        let looked = try await fixture.imports.lookUpImported(
            .init(source: "elsewhere", externalIds: ["u1", "u2", ""]), fixture.tool)
        #expect(looked.accountIds == [answer.accountId, "", ""])
        let other = try await fixture.imports.lookUpImported(
            .init(source: "another", externalIds: ["u1"]), fixture.tool)
        #expect(other.accountIds == [""])
    }

    @Test("an imported identity is found at a sign-in")
    func identityIsFound() async throws {
        var record = ImportFixture.record()
        record.identities = [.init(method: "g", issuer: "https://g.example", subject: "1")]
        let answer = try #require(try await fixture.take([record]).first)
        let proved = ProvedIdentity(
            method: .provider("g"), issuer: "https://g.example", subject: "1")
        let found = try await identity.store.read { [keys = identity.keys] session in
            try session.identity(lookUpKey: keys.lookUpKey(of: proved))?.account.text
        }
        #expect(found == answer.accountId)
    }

    @Test("G-25: a repeated batch changes nothing, even if the account has changed since")
    func again() async throws {
        let first = try await fixture.take([ImportFixture.record()])
        try await identity.change("UPDATE accounts SET status = 2")
        var changed = ImportFixture.record()
        changed.email = "other@example.org"
        for record in [ImportFixture.record(), changed] {
            let again = try await fixture.take([record])
            #expect(again.map(\.outcome) == [.unchanged])
            #expect(again.map(\.accountId) == first.map(\.accountId))
        }
        #expect(try await identity.count("accounts") == 1)
        #expect(try await identity.count("audit", where: "kind = 'account.imported'") == 1)
    }

    @Test("I-05: a number that an account has with its trunk prefix is taken")
    func formerNumber() async throws {
        _ = try await identity.signIn(PhoneIdentity.proved("+49015112345678"))
        var record = ImportFixture.record("u1", email: "")
        record.phoneNumber = "+4915112345678"
        let answers = try await fixture.take([record])
        #expect(answers.map(\.code) == ["auth/credential-already-in-use"])
        #expect(answers.map(\.field) == ["phone_number"])
    }

    @Test("X-04: a taken address, identity or number is refused, in the store and in the batch")
    func owned() async throws {
        _ = try await identity.register()
        var phones = ["p1", "p2"].map { ImportFixture.record($0, email: "") }
        for place in phones.indices { phones[place].phoneNumber = "+4915112345678" }
        var links = ["g1", "g2"].map { ImportFixture.record($0, email: "") }
        for place in links.indices {
            links[place].identities = [
                .init(method: "g", issuer: "https://g.example", subject: "1")
            ]
        }
        let answers = try await fixture.take(
            [
                ImportFixture.record("u1", email: "ADA@example.org"),
                ImportFixture.record("u2", email: "eve@example.org"),
                ImportFixture.record("u3", email: "Eve@Example.org"),
            ] + phones + links)
        #expect(
            answers.map(\.code) == [
                "auth/email-already-in-use", "", "auth/email-already-in-use", "",
                "auth/credential-already-in-use", "", "auth/credential-already-in-use",
            ])
        #expect(
            answers.map(\.field) == ["email", "", "email", "", "phone_number", "", "identities"])
        #expect(try await identity.count("accounts") == 4)
    }

    @Test("X-04: an address is proved only if both the record and the operator say so")
    func proved() async throws {
        var unverified = ImportFixture.record("u2", email: "bob@example.org")
        unverified.emailVerified = false
        _ = try await fixture.take([ImportFixture.record(), unverified])
        _ = try await fixture.take(
            [ImportFixture.record("u3", email: "eve@example.org")], emailsUnproved: true)
        let proved = "proved_at_ms IS NOT NULL"
        #expect(try await identity.count("email_addresses", where: proved) == 1)
        #expect(try await identity.signIn().account?.emailVerified == true)
        #expect(try await identity.signIn("eve@example.org").account?.emailVerified == false)
    }

    @Test("a disabled account is imported as suspended")
    func disabled() async throws {
        var record = ImportFixture.record()
        record.disabled = true
        _ = try await fixture.take([record])
        let error = try await refusal { try await identity.signIn() }
        #expect(error == ServiceError(.accountDisabled))
    }

    @Test("a dry run gives the same answer and writes nothing")
    func dryRun() async throws {
        let records = [
            ImportFixture.record(), ImportFixture.record("u2"),
            ImportFixture.record("u3", email: "x"),
        ]
        let dry = try await fixture.take(records, dryRun: true)
        #expect(try await identity.count("accounts") == 0)
        #expect(try await identity.count("audit") == 0)
        let real = try await fixture.take(records)
        #expect(dry.map(\.outcome) == real.map(\.outcome) && dry.map(\.code) == real.map(\.code))
    }

    @Test("only the operator's tool may import and export, and a batch has a maximum size")
    func limits() async throws {
        for application in ["app", "gateway", "identity", "session", ""] {
            let context = identity.context(application: application)
            let errors = [
                try await refusal { try await fixture.imports.importAccounts(.init(), context) },
                try await refusal {
                    try await fixture.imports.keepHashParameters(.init(), context)
                },
                try await refusal { try await fixture.imports.lookUpImported(.init(), context) },
                try await refusal {
                    for try await _ in fixture.imports.exportAccounts(.init(), context) {}
                },
            ]
            #expect(errors.allSatisfy { $0.code == .permissionDenied }, "\(application)")
        }
        let error = try await refusal {
            try await fixture.take((0...200).map { ImportFixture.record("u\($0)", email: "") })
        }
        #expect(error == ServiceError(.invalidArgument, fields: ["accounts"]))
        #expect(try await refusal { try await fixture.take([]) }.code == .invalidArgument)
    }
}
