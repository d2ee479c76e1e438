import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService

@Suite("I-03, F-04: second factors of other systems, and for them", .timeLimit(.minutes(1)))
struct ImportedFactorTests {
    /// 20 bytes, as RFC 6238's vectors have them.
    private static let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

    let fixture: ImportFixture

    init() throws { fixture = ImportFixture(try IdentityFixture()) }

    private var identity: IdentityFixture { fixture.identity }

    private static func record(
        _ factors: [IdentityV1.SecondFactorRecord], _ id: String = "u1",
        email: String = "ada@example.org"
    ) -> IdentityV1.AccountRecord {
        var record = ImportFixture.record(id, email: email)
        record.secondFactors = factors
        return record
    }

    /// What an app with a secret shows now.
    private func code(
        _ secret: String = secret, in identity: IdentityFixture
    ) throws -> SecretBytes {
        let bytes = try #require(Base32.decodeLeniently(secret))
        let step = TOTP.step(at: identity.time.now())
        return SecretBytes(copying: TOTP.code(of: SecretBytes(copying: bytes), at: step))
    }

    @Test("the app of a person who comes from elsewhere is asked for, and its code signs in, once")
    func imported() async throws {
        let answers = try await fixture.take([
            Self.record([.init(totpSecret: Self.secret, name: "old phone")])
        ])
        #expect(answers.map(\.outcome) == [.created] && answers.map(\.altered) == [[]])
        let challenge = try await identity.challenge { try await identity.signIn() }
        // Recovery codes are made here, and the other system's are not taken.
        #expect(challenge.kinds == ["totp_code"])
        let code = try code(in: identity)
        let answer = try await identity.complete(challenge, .totpCode(code))
        let account = try #require(answer.admission?.proof).accountId
        #expect(account == answers.first?.accountId)
        let next = try await identity.challenge { try await identity.signIn() }
        let again = try await refusal { try await identity.complete(next, .totpCode(code)) }
        #expect(again.code == .invalidCode)
        let listed = try await identity.listFactors(identity.devices.open(account))
        #expect(listed.factors.map(\.name) == ["old phone"] && listed.recoveryCodesLeft == 0)
    }

    @Test("a secret is taken as people and systems write it")
    func spellings() async throws {
        let texts = [
            Self.secret.lowercased(), "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ",
            "GEZDGNBV-GY3TQOJQ-GEZDGNBV-GY3TQOJQ", Self.secret + "======",
        ]
        for (number, text) in texts.enumerated() {
            let email = "u\(number)@example.org"
            let answers = try await fixture.take([
                Self.record([.init(totpSecret: text)], "u\(number)", email: email)
            ])
            #expect(answers.map(\.altered) == [[]], "\(text)")
            let challenge = try await identity.challenge { try await identity.signIn(email) }
            _ = try await identity.complete(challenge, .totpCode(try code(in: identity)))
        }
    }

    @Test("equal figures are accepted as the defaults are")
    func figures() async throws {
        let answers = try await fixture.take([
            Self.record([
                .init(totpSecret: Self.secret, algorithm: "SHA1", digits: 6, periodSeconds: 30)
            ])
        ])
        #expect(answers.map(\.altered) == [[]])
        #expect(try await identity.count("second_factors") == 1)
    }

    /// An account that asks for codes which no app shows would shut its owner out.
    @Test("an app that shows other codes than ours is lost, and said to be; the account is taken")
    func lost() async throws {
        let lost: [IdentityV1.SecondFactorRecord] = [
            .init(totpSecret: Self.secret, algorithm: "SHA256"),
            .init(totpSecret: Self.secret, algorithm: "sha1"),
            .init(totpSecret: Self.secret, digits: 8),
            .init(totpSecret: Self.secret, periodSeconds: 60), .init(totpSecret: ""),
            .init(totpSecret: "GEZDGNBVGY3TQOJQGEZDGNBV"), .init(totpSecret: "0189"),
            .init(totpSecret: Self.secret + "é"),
            .init(totpSecret: String(repeating: "GEZDGNBV", count: 13)),
        ]
        for (number, factor) in lost.enumerated() {
            let email = "u\(number)@example.org"
            let answers = try await fixture.take([
                Self.record([factor], "u\(number)", email: email)
            ])
            #expect(answers.map(\.outcome) == [.created], "\(number)")
            #expect(answers.map(\.altered) == [["second_factors"]], "\(number)")
            #expect(try await identity.signIn(email).proof != nil, "\(number)")
        }
        #expect(try await identity.count("second_factors") == 0)
    }

    @Test("of more than three apps the first three are taken, and of several those that would do")
    func several() async throws {
        let good = IdentityV1.SecondFactorRecord(totpSecret: Self.secret)
        let bad = IdentityV1.SecondFactorRecord(totpSecret: Self.secret, digits: 8)
        let four = try await fixture.take([Self.record([good, good, good, good])])
        #expect(four.map(\.altered) == [["second_factors"]])
        #expect(try await identity.count("second_factors") == 3)
        let mixed = try await fixture.take([
            Self.record([bad, good], "u2", email: "eve@example.org")
        ])
        #expect(mixed.map(\.altered) == [["second_factors"]])
        #expect(try await identity.count("second_factors") == 4)
    }

    @Test("a long name, or one with control characters, is left out; the app is not")
    func names() async throws {
        let names = [String(repeating: "é", count: 33), "a\u{0}b", "phone"]
        _ = try await fixture.take([
            Self.record(names.map { .init(totpSecret: Self.secret, name: $0) })
        ])
        let records = try await fixture.export().flatMap(\.accounts).flatMap(\.secondFactors)
        #expect(Set(records.map(\.name)) == ["", "ab", "phone"])
    }

    @Test("a dry run says what would be lost, and stores nothing")
    func dryRun() async throws {
        let bad = IdentityV1.SecondFactorRecord(totpSecret: Self.secret, digits: 8)
        let answers = try await fixture.take([Self.record([bad])], dryRun: true)
        #expect(answers.map(\.altered) == [["second_factors"]])
        #expect(try await identity.count("accounts") == 0)
    }

    // MARK: exports

    @Test("an export with hashes has the secrets, and another Postern accepts the same app by it")
    func roundTrip() async throws {
        let account = try await identity.registerProved().accountId
        let (app, _) = try await identity.setUpApp(in: identity.devices.open(account))
        let records = try await fixture.export().flatMap(\.accounts)
        let factor = try #require(records.first?.secondFactors.first)
        #expect(factor == .init(totpSecret: app.begun.secret, name: "phone"))
        let there = ImportFixture(try IdentityFixture(time: identity.time, seed: 2))
        let answers = try await there.take(records)
        #expect(answers.map(\.altered) == [[]])
        let challenge = try await there.identity.challenge { try await there.identity.signIn() }
        _ = try await there.identity.complete(
            challenge, .totpCode(try code(app.begun.secret, in: there.identity)))
    }

    /// Attack: an export that was asked for without hashes is passed on with less care.
    @Test("an export without hashes has no secrets, and recovery codes are in none")
    func withoutHashes() async throws {
        let account = try await identity.registerProved().accountId
        let (app, answer) = try await identity.setUpApp(in: identity.devices.open(account))
        let without = try await fixture.export(withHashes: false)
        #expect(without.flatMap(\.accounts).flatMap(\.secondFactors) == [])
        let with = try await fixture.export()
        for (items, hasHashes) in [(without, false), (with, true)] {
            let bytes = items.flatMap { $0.encoded() }
            func has(_ text: String) -> Bool { bytes.firstRange(of: Array(text.utf8)) != nil }
            #expect(has(app.begun.secret) == hasHashes)
            for code in answer.recoveryCodes {
                #expect(!has(code) && !has(code.replacing("-", with: "")))
            }
        }
    }

    @Test("a factor of a kind that this build does not know is in no export, and breaks none")
    func unknownKind() async throws {
        let account = try await identity.registerProved().accountId
        _ = try await identity.plantFactor(in: account)
        try await identity.change("UPDATE second_factors SET kind = 'passkey'")
        let records = try await fixture.export().flatMap(\.accounts)
        #expect(records.map(\.accountId) == [account] && records.map(\.secondFactors) == [[]])
    }

    @Test("G-21: a person's own export has kind, name, times and how many codes are left")
    func ownExport() async throws {
        let account = try await identity.registerProved().accountId
        let token = identity.devices.open(account)
        let added = identity.time.now()
        let (app, answer) = try await identity.setUpApp(in: token)
        identity.time.advance(by: .seconds(60))
        let used = identity.time.now()
        try await identity.prove(.totpCode(app.code(at: used)), in: token)
        try await identity.prove(.recoveryCode(.init(text: answer.recoveryCodes[0])), in: token)
        try await identity.resetFactors(of: account)
        let ready = try await identity.prepareExport(token)
        let archive = try ZIPReader(try await identity.fetch(token, ready.exportId))
        let own = try #require(archive["account.json"])
        for part in [
            #""second_factors":[{"#, #""kind":"totp""#, #""name":"phone""#,
            "\"added_at\":\"\(added.text)\"", "\"last_used_at\":\"\(used.text)\"",
            #""recovery_codes_left":9"#,
            "\"second_factor_reset_at\":\"\((used + .seconds(86_400)).text)\"",
        ] {
            #expect(own.contains(part), "\(part)")
        }
        for file in archive.files.map(\.text) {
            #expect(!file.contains(app.begun.secret))
            for code in answer.recoveryCodes { #expect(!file.contains(code)) }
        }
    }
}
