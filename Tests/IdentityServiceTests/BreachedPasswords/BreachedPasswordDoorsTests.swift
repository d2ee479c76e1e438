import Glibc
import HTTPSink
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

@Suite("I-02: every call that sets a password asks whether it leaked", .timeLimit(.minutes(1)))
struct BreachedPasswordDoorsTests {
    private static let leaked = "Leaked7Horse"
    /// Leaks later (`leakLater`).
    private static let later = "Later7Horse"

    let folder: TemporaryFolder
    let fixture: IdentityFixture

    init() throws {
        folder = try TemporaryFolder()
        fixture = try Self.fixture(in: folder)
    }

    private static func fixture(
        in folder: TemporaryFolder,
        enumeration: IdentitySettings.EnumerationMode = .friendly
    ) throws -> IdentityFixture {
        let path = try folder.write(LeakedPasswords.text([leaked]), to: "pwned.txt")
        return try IdentityFixture(
            enumeration: enumeration, breachedPasswords: BreachedPasswordSettings(file: path))
    }

    private static func error(field: String = "password") -> ServiceError {
        .weakPassword([.breached], field: field)
    }

    /// Replaces the list by one with `later` too.
    private func leakLater() throws {
        let new = try folder.write(
            LeakedPasswords.text([Self.leaked, Self.later]), to: "pwned-new.txt")
        try #require(rename(new, folder.file("pwned.txt")) == 0)
        let files = try #require(fixture.service.core.breachedPasswords)
        for _ in 0..<2 { files.look() }
    }

    @Test(
        "I-02: sign-up refuses a leaked password before anything is hashed or written",
        arguments: IdentitySettings.EnumerationMode.allCases)
    func signUp(enumeration: IdentitySettings.EnumerationMode) async throws {
        let fixture = try Self.fixture(in: folder, enumeration: enumeration)
        let refused = try await refusal { try await fixture.register(password: Self.leaked) }
        #expect(refused == Self.error())
        #expect(try await fixture.count("accounts") == 0)
        #expect(try await fixture.count("claims") == 0)
        #expect(fixture.hashes == 0)
        _ = try await fixture.register()
        #expect(fixture.metrics.breachChecks("found") == 1)
        #expect(fixture.metrics.breachChecks("not_found") == 1)
    }

    @Test("X-02: a leaked password is refused alike whether or not the address has an account")
    func taken() async throws {
        _ = try await fixture.register()
        try await fixture.relay()
        let before = try await fixture.count("audit")
        for email in ["ada@example.org", "free@example.org"] {
            let hashes = fixture.hashes
            let refused = try await refusal {
                try await fixture.register(email, password: Self.leaked)
            }
            #expect(refused == Self.error() && fixture.hashes == hashes)
        }
        #expect(try await fixture.waiting() == 0, "the owner gets no mail")
        #expect(try await fixture.count("audit") == before)
    }

    @Test("I-02: a password that breaks another rule is not looked up")
    func policyFirst() async throws {
        let refused = try await refusal { try await fixture.register(password: "Summer2024!") }
        #expect(refused == .weakPassword([.common], field: "password"))
        #expect(fixture.metrics.breachChecks("not_found") == 0)
    }

    @Test("I-02: a reset refuses a leaked password, and its link stays valid")
    func reset() async throws {
        _ = try await fixture.register()
        _ = try await fixture.credentials.requestPasswordReset(
            .init(email: "ada@example.org"), fixture.context())
        try await fixture.relay()
        let token = try fixture.latestToken("reset-password")
        let reset = try await refusal {
            try await fixture.credentials.resetPassword(
                .init(token: token, password: .init(text: Self.leaked)), fixture.context())
        }
        #expect(reset == Self.error())
        _ = try await fixture.credentials.resetPassword(
            .init(token: token, password: "Owners9Password"), fixture.context())
    }

    @Test("I-02: a change refuses a leaked password before it compares the current one")
    func change() async throws {
        let access = try await fixture.member().token
        let hashes = fixture.hashes
        for current in ["Correct7Horse", "Wrong7Horse"] {
            let change = try await refusal {
                try await fixture.credentials.changePassword(
                    .init(
                        currentPassword: .init(text: current),
                        newPassword: .init(text: Self.leaked)), fixture.relayed(access))
            }
            #expect(change == Self.error(field: "new_password"))
        }
        #expect(fixture.hashes == hashes)
    }

    @Test("I-02: a password that is added is refused if it has leaked, before it is hashed")
    func link() async throws {
        let session = try await fixture.sessionWithoutPassword()
        let hashes = fixture.hashes
        let link = try await refusal { try await fixture.linkPassword(Self.leaked, in: session) }
        #expect(link == Self.error())
        #expect(fixture.hashes == hashes)
        #expect(try await fixture.count("passwords") == 0)
    }

    @Test("G-25: a repeated link gets the first answer although the password has leaked since")
    func repeatedLink() async throws {
        let session = try await fixture.sessionWithoutPassword()
        let first = try await fixture.linkPassword(Self.later, in: session, key: "k")
        try leakLater()
        #expect(try await fixture.linkPassword(Self.later, in: session, key: "k") == first)
    }

    @Test("I-02: confirming an address refuses a leaked replacement password")
    func verification() async throws {
        _ = try await fixture.register()
        try await fixture.relay()
        let token = try fixture.latestToken()
        let verify = try await refusal {
            try await fixture.accounts.confirmEmail(
                .init(token: token, password: .init(text: Self.leaked)), fixture.context())
        }
        #expect(verify == Self.error())
        _ = try await fixture.accounts.confirmEmail(
            .init(token: token, password: "Owners9Password"), fixture.context())
    }

    @Test("I-02: a password that leaks later signs in, and confirms, as before")
    func leaksLater() async throws {
        _ = try await fixture.register(password: Self.later)
        try await fixture.relay()
        try leakLater()
        _ = try await fixture.signIn(password: Self.later)
        _ = try await fixture.accounts.confirmEmail(
            .init(token: try fixture.latestToken(), password: .init(text: Self.later)),
            fixture.context())
        #expect(fixture.metrics.breachChecks("found") == 0, "only new passwords are looked up")
        let refused = try await refusal {
            try await fixture.register("eve@example.org", password: Self.later)
        }
        #expect(refused == Self.error())
    }

    @Test(
        "G-25: a repeat gets the first answer although the password has leaked since",
        arguments: IdentitySettings.EnumerationMode.allCases)
    func repeated(enumeration: IdentitySettings.EnumerationMode) async throws {
        let fixture = try Self.fixture(in: folder, enumeration: enumeration)
        let first = try await fixture.register(password: Self.later, key: "k")
        let new = try folder.write(LeakedPasswords.text([Self.later]), to: "pwned-new.txt")
        try #require(rename(new, folder.file("pwned.txt")) == 0)
        let files = try #require(fixture.service.core.breachedPasswords)
        for _ in 0..<2 { files.look() }
        let second = try await fixture.register(password: Self.later, key: "k")
        #expect(first.account == second.account)
        let other = try await refusal {
            try await fixture.register("eve@example.org", password: Self.later, key: "l")
        }
        #expect(other == Self.error())
    }

    @Test("G-25: a repeated change gets the first answer although the password has leaked since")
    func repeatedChange() async throws {
        let access = try await fixture.member().token
        let change = GatewayV1.ChangePasswordRequest(
            currentPassword: "Correct7Horse", newPassword: .init(text: Self.later))
        _ = try await fixture.credentials.changePassword(change, fixture.relayed(access, "k"))
        try leakLater()
        _ = try await fixture.credentials.changePassword(change, fixture.relayed(access, "k"))
    }
}

@Suite("I-02: a service of leaked passwords does not hold sign-ups up", .timeLimit(.minutes(1)))
struct UnreachableBreachServiceTests {
    /// Sign-ups with a service at `url`, until one takes less than 1.2 s. Each must fail to look its
    /// password up.
    private static func signUp(askingAt url: String) async throws {
        let fixture = try IdentityFixture(
            breachedPasswords: BreachedPasswordSettings(url: url))
        var tries = 0
        let took = try await quickest(under: .milliseconds(1_200)) {
            tries += 1
            let begun = ContinuousClock.now
            _ = try await fixture.register("ada\(tries)@example.org")
            return ContinuousClock.now - begun
        }
        #expect(took < .milliseconds(1_200))
        #expect(fixture.metrics.breachChecks("failed") == tries)
    }

    @Test(
        "I-02: slow, cut off, too long or failing, it lets a sign-up go on within 1.2 s",
        arguments: [
            .stall, .drip, .reset, .cut(body: "1E4C9B93F3F0682250B6CF8331B7EE68FD8:52256179"),
            .answer(200, body: String(repeating: " ", count: 257 << 10)), .answer(503),
        ] as [HTTPSink.Answer])
    func failing(answer: HTTPSink.Answer) async throws {
        let sink = try await HTTPSink { _ in answer }
        try await Self.signUp(askingAt: sink.url("/range"))
        await sink.close()
    }

    @Test("I-02: away, it lets a sign-up go on at once")
    func away() async throws {
        let sink = try await HTTPSink { _ in .stall }
        await sink.close()
        try await Self.signUp(askingAt: sink.url("/range"))
    }
}

@Suite("G-26: the rule about leaked passwords before anybody has typed, and while it is typed")
struct BreachedPasswordOptionsTests {
    private func options(
        of fixture: IdentityFixture
    ) throws -> GatewayV1.GetSignInOptionsResponse {
        try fixture.service.core.signInOptions.getSignInOptions(.init(), fixture.context())
    }

    private func check(
        _ password: String, by fixture: IdentityFixture
    ) async throws -> GatewayV1.CheckPasswordResponse {
        try await fixture.service.core.signInOptions.checkPassword(
            .init(password: .init(text: password)), fixture.context())
    }

    @Test("G-26: with a file the rule is among the others, and is checked while one types")
    func file() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(LeakedPasswords.text(["Leaked7Horse", ""]), to: "pwned.txt")
        let fixture = try IdentityFixture(
            breachedPasswords: BreachedPasswordSettings(file: path))
        let rules = try #require(try options(of: fixture).password).rules
        #expect(rules.last?.rule == "breached")
        #expect(rules.last?.sentence == PasswordRule.breached.requirement(in: .english, 8...128))
        let leaked = try await check("Leaked7Horse", by: fixture)
        #expect(leaked.rules.compactMap(\.rule) == rules)
        #expect(leaked.rules.filter { !$0.met }.compactMap(\.rule?.rule) == ["breached"])
        #expect(leaked.strength == .weak)
        let other = try await check("Correct7Horse", by: fixture)
        #expect(other.rules.allSatisfy(\.met) && other.strength == .fair)
        // Nothing typed yet: the list has the SHA-1 of no text.
        let empty = try await check("", by: fixture)
        #expect(empty.rules.last?.met == true)
    }

    @Test("G-26: a service is not asked while one types, and its rule is left out then")
    func service() async throws {
        let sink = try await HTTPSink { _ in .answer(503) }
        let fixture = try IdentityFixture(
            breachedPasswords: BreachedPasswordSettings(url: sink.url("/range")))
        let rules = try #require(try options(of: fixture).password).rules
        #expect(rules.last?.rule == "breached")
        let answer = try await check("Correct7Horse", by: fixture)
        #expect(answer.rules.compactMap(\.rule) == Array(rules.dropLast()))
        #expect(answer.rules.allSatisfy(\.met) && answer.strength == .fair)
        #expect(sink.requests.isEmpty)
        await sink.close()
    }
}
