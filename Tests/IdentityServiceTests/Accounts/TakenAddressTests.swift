import Cryptography
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-02: sign-up with a taken address, enumeration friendly", .timeLimit(.minutes(1)))
struct TakenAddressTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    @Test("G-02: a sign-up with a taken address is refused, and its password is discarded")
    func refused() async throws {
        _ = try await fixture.register()
        let error = try await refusal {
            try await fixture.register("ADA@example.org", password: "Other8Password")
        }
        #expect(error == ServiceError(.emailAlreadyInUse, fields: ["email"]))
        #expect(try await fixture.count("accounts") == 1)
        _ = try await fixture.signIn(password: "Correct7Horse")
        let signIn = try await refusal { try await fixture.signIn(password: "Other8Password") }
        #expect(signIn.code == .invalidCredential)
    }

    @Test("G-02: the owner is mailed at the stored address, with a page's link and no secret")
    func ownerIsTold() async throws {
        _ = try await fixture.register("Ada@example.org")
        _ = try await refusal { try await fixture.register("ADA@example.org") }
        try await fixture.relay()
        let mails = fixture.notifications.mails
        #expect(mails.map(\.template).sorted() == ["email-already-registered", "verify-email"])
        let told = try #require(mails.first { $0.template == "email-already-registered" })
        #expect(told.recipient == "Ada@example.org")
        #expect(told.language == "en-GB")
        // The address is unproved, so a stranger may have added the account's methods.
        #expect(
            told.variables.map { [$0.name, $0.value] } == [
                ["methods", ""], ["link", "https://app.example/forgot-password"],
            ])
        #expect(try await fixture.count("links", where: "purpose = 2") == 0)
    }

    @Test("G-02: the mail to a proved owner names the account's sign-in methods")
    func proved() async throws {
        let account = try await fixture.registerProved().accountId
        _ = try await fixture.link(.token("g1"), in: fixture.devices.open(account))
        _ = try await refusal { try await fixture.register() }
        try await fixture.relay()
        let told = try #require(fixture.mail("email-already-registered"))
        let methods = try #require(told.variables.first { $0.name == "methods" }).value
        #expect(Set(methods.split(separator: " ")) == ["password", "google"])
    }

    @Test("G-11: a sign-up with a taken address does not void the owner's reset link")
    func resetLinkStays() async throws {
        _ = try await fixture.registerProved()
        _ = try await fixture.credentials.requestPasswordReset(
            .init(email: "ada@example.org", device: IdentityFixture.device), fixture.context())
        try await fixture.relay()
        let token = try fixture.latestToken("reset-password")
        _ = try await refusal { try await fixture.register(password: "Stranger7Password") }
        _ = try await fixture.credentials.resetPassword(
            .init(token: token, password: "Owner8Password", device: IdentityFixture.device),
            fixture.context())
        _ = try await fixture.signIn(password: "Owner8Password")
    }

    @Test("G-25: repeats of one refused call mail the owner once")
    func ownerIsToldOnce() async throws {
        _ = try await fixture.register()
        for _ in 0..<3 {
            let error = try await refusal { try await fixture.register(key: "again") }
            #expect(error.code == .emailAlreadyInUse)
        }
        try await fixture.relay()
        #expect(
            fixture.notifications.mails.filter { $0.template == "email-already-registered" }.count
                == 1)
    }

    @Test("X-02: a taken address costs one hash and one commit, like a free one")
    func sameCost() async throws {
        _ = try await fixture.register()
        #expect(fixture.hashes == 1)
        _ = try await refusal { try await fixture.register() }
        #expect(fixture.hashes == 2)
    }

    @Test("A-01: the refusal is audited with the owner's account and the error code")
    func audit() async throws {
        _ = try await fixture.register()
        _ = try await refusal { try await fixture.register() }
        #expect(
            try await fixture.count(
                "audit",
                where: """
                    kind = 'account.sign-up-refused' AND outcome = 'auth/email-already-in-use'
                    AND account IS NOT NULL
                    """) == 1)
    }

    @Test("I-05: 50 parallel registrations of one address make one account")
    func race() async throws {
        let outcomes = await withTaskGroup(of: Result<String, any Error>.self) { group in
            for number in 0..<50 {
                group.addTask {
                    let email = number.isMultiple(of: 2) ? "ada@example.org" : "Ada@EXAMPLE.org"
                    do {
                        let answer = try await fixture.register(
                            email, password: "Correct\(number)Horse")
                        return .success(answer.account?.accountId ?? "")
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let made = outcomes.compactMap { try? $0.get() }
        #expect(made.count == 1)
        for case .failure(let error) in outcomes {
            #expect((error as? ServiceError)?.code == .emailAlreadyInUse)
        }
        #expect(outcomes.count == 50)
        #expect(try await fixture.count("accounts") == 1)
        #expect(try await fixture.count("profiles") == 1)
        #expect(fixture.hashes == 50)
    }

    @Test("X-02: a sign-up with a suspended account's address sends its owner no mail")
    func suspended() async throws {
        _ = try await fixture.register()
        try await fixture.change("UPDATE accounts SET status = 2")
        _ = try await refusal { try await fixture.register() }
        try await fixture.relay()
        #expect(fixture.notifications.mails.map(\.template) == ["verify-email"])
    }
}
