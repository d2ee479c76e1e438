import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("G-20, G-21: the rate limiter's data of an account", .timeLimit(.minutes(1)))
struct AccountDataTests {
    static let account = "acc_0000000000001"
    static let subject = AccountDataV1.DataSubject(
        accountId: account, emails: ["Ada@Example.org"], phoneNumbers: ["+4915112345678"])

    let fixture: LimitsFixture

    init() async throws { fixture = try await LimitsFixture() }

    private func context(_ application: String) -> CallContext {
        CallContext(application: application, deadline: fixture.time.uptime() + .seconds(10))
    }

    private func collect(
        _ subject: AccountDataV1.DataSubject = subject, from application: String = "identity"
    ) async throws -> String {
        var bytes: [UInt8] = []
        let items = fixture.service.accountData.collectAccountData(
            .init(subject: subject), context(application))
        for try await item in items {
            if case .data(let part) = item.part { bytes += part }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func forget(
        _ subject: AccountDataV1.DataSubject = subject, from application: String = "identity"
    ) async throws -> UInt32 {
        try await fixture.service.accountData.forgetAccountData(
            .init(subject: subject), context(application)
        ).rows
    }

    /// Charges what flows count by the account, the email and the number.
    private func charge() async throws {
        try await fixture.consume(.verificationMailByAccount, Self.account)
        try await fixture.consume(.passwordResetByEmail, "ada@example.org")
        try await fixture.consume(.phoneCodeRequest, "+4915112345678")
        try await fixture.consume(.failedSignInByAccount, "ada@example.org")
        try await fixture.consume(.phoneCodeGuess, "+4915112345678")
        try await fixture.consume(.failedSignInByAccount, "eve@example.org")
    }

    @Test(
        "only identity may call, and not the operator's tool",
        arguments: ["tool", "gateway", "app", ""])
    func strangers(application: String) async throws {
        try await charge()
        let denied = CallContext.onlyIdentity
        await #expect(throws: denied) { try await collect(from: application) }
        await #expect(throws: denied) { try await forget(from: application) }
        await #expect(throws: denied) {
            try await fixture.service.accountData.listAccountsWithData(
                .init(), context(application))
        }
        #expect(try await forget() == 4)
    }

    @Test("a malformed account id is refused", arguments: ["", "7", "ses_0000000000001"])
    func malformed(id: String) async throws {
        let refused = ServiceError(.invalidArgument, fields: ["subject.account_id"])
        await #expect(throws: refused) { try await collect(.init(accountId: id)) }
        await #expect(throws: refused) { try await forget(.init(accountId: id)) }
    }

    @Test("G-21: the limits that count the account are sent with their counts")
    func collected() async throws {
        try await charge()
        let text = try await collect()
        for limit in [
            "verification-mail-by-account", "password-reset-by-email", "phone-code-request",
            "failed-sign-in-by-account", "failed-sign-in-in-a-row", "phone-code-guess",
        ] {
            #expect(text.contains("\"\(limit)\""))
        }
        #expect(text.split(separator: "\n").count == 8)
        #expect(!text.contains("ada@") && !text.contains("+49"))
    }

    @Test("G-20: the account's counters are deleted, nobody else's; a repeat finds nothing")
    func forgotten() async throws {
        try await charge()
        #expect(try await forget() == 4)
        let left = try fixture.peek(.failedSignInByAccount, "ada@example.org").remaining
        let others = try fixture.peek(.failedSignInByAccount, "eve@example.org").remaining
        #expect(left == others + 1)
        #expect(try await forget() == 0)
        #expect(try await fixture.audited().map(\.kind).count { $0 == "limit.reset" } == 1)
        let restarted = try await fixture.restarted(afterKill: true)
        #expect(try restarted.peek(.failedSignInByAccount, "ada@example.org").remaining == left)
    }

    @Test("F-04: guesses at an authenticator app are counted by first proof, and deleted")
    func guesses() async throws {
        let lanes = TOTPLane.allCases
        for lane in lanes {
            try await fixture.consume(.totpGuess, lane.subject(of: Self.account))
            try await fixture.consume(.totpGuess, lane.subject(of: "acc_0000000000002"))
        }
        #expect(try await collect().split(separator: "\n").count == lanes.count + 2)
        #expect(try await forget() == UInt32(lanes.count))
        #expect(try await collect() == "[\n]\n")
    }

    @Test("messages to an email or a number stay counted: a deletion gives no further ones")
    func messages() async throws {
        try await charge()
        let before = try fixture.peek(.passwordResetByEmail, "ada@example.org").remaining
        _ = try await forget()
        let text = try await collect()
        #expect(text.contains("password-reset-by-email") && text.contains("phone-code-request"))
        #expect(text.split(separator: "\n").count == 4)
        #expect(try fixture.peek(.passwordResetByEmail, "ada@example.org").remaining == before)
        fixture.time.advance(by: .seconds(7 * 86_400))
        await fixture.service.sweep()
        #expect(try await collect() == "[\n]\n")
    }

    @Test("the next owner of an email or a number inherits no known device")
    func devices() async throws {
        let devices = fixture.service.limits.devices
        func knows(_ limit: LimitName, _ name: String) -> Bool {
            devices.knows(TrustedLane.owner(limit, name), "d1", at: fixture.time.now())
        }
        let names: [(LimitName, String)] = [
            (.failedSignInByAccount, "ada@example.org"), (.phoneCodeGuess, "+4915112345678"),
        ]
        for (limit, name) in names + [(.failedSignInByAccount, "eve@example.org")] {
            try fixture.succeed("0", limit, name, device: "d1")
            #expect(knows(limit, name))
        }
        fixture.time.advance(by: .milliseconds(1))
        _ = try await forget()
        for (limit, name) in names { #expect(!knows(limit, name)) }
        #expect(knows(.failedSignInByAccount, "eve@example.org"))
        fixture.time.advance(by: .milliseconds(1))
        try fixture.succeed("0", .failedSignInByAccount, "ada@example.org", device: "d1")
        #expect(knows(.failedSignInByAccount, "ada@example.org"))
    }

    @Test("counters under a former secret are found")
    func former() async throws {
        try await charge()
        try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
        #expect(try await forget() == 4)
    }

    @Test("hashes name no account: the list is empty, and a page token is refused")
    func listed() async throws {
        try await charge()
        let data = fixture.service.accountData
        #expect(
            try await data.listAccountsWithData(.init(), context("identity")) == .init())
        await #expect(throws: ServiceError(.invalidArgument, fields: ["page_token"])) {
            try await data.listAccountsWithData(
                .init(pageToken: Self.account), context("identity"))
        }
    }
}
