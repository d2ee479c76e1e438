import ArgumentParser
import Contracts
import Messages
import ServiceRuntime
import Testing

@testable import postern

@Suite("R-05: Subjects as the operator types them")
struct LimitSubjectTests {
    @Test(
        "R-05: an email is canonicalised as it is for counting, however it is typed",
        arguments: [
            ("failed-sign-in-by-account", "Ada@Example.ORG", "ada@example.org"),
            ("failed-sign-in-by-account", "ada@example.org", "ada@example.org"),
            ("password-reset-by-email", "ADA@example.org", "ada@example.org"),
            ("sign-up-on-taken-email", "192.0.2.7|Ada@Example.org", "192.0.2.7|ada@example.org"),
            ("sign-up-on-taken-email", "192.0.2.7|A|b@Example.org", "192.0.2.7|a|b@example.org"),
            ("failed-sign-in-by-account", "No Address", "No Address"),
            ("sign-up-on-taken-email", "Ada@Example.org", "Ada@Example.org"),
            ("phone-code-guess", "+4915112345678", "+4915112345678"),
            ("failed-sign-in-by-device", "192.0.2.7|Phone", "192.0.2.7|Phone"),
        ])
    func counted(limit: String, typed: String, counted: String) throws {
        let arguments = try LimitsCommand.Subject.parse([limit, typed, "--device", "Phone"])
        #expect(arguments.charges == [.init(limit: limit, subject: counted, device: "Phone")])
    }

    private func charges(_ arguments: String...) throws -> [RateLimitV1.Charge] {
        try LimitsCommand.Subject.parse(arguments).charges
    }

    @Test("R-05: a subject alone is charged to all limits on it, in the form that is counted")
    func alone() throws {
        let email = try charges("Ada@Example.org", "--device", "Phone")
        #expect(
            email.contains(
                .init(
                    limit: "failed-sign-in-by-account", subject: "ada@example.org", device: "Phone")
            ))
        #expect(email.contains { $0.limit == "password-reset-by-email" })
        #expect(try charges("+4915112345678").contains { $0.limit == "phone-code-guess" })
        #expect(try charges("acc_1").contains { $0.limit == "failed-provider-by-account" })
        #expect(try !charges("192.0.2.7").contains { $0.limit.hasSuffix("by-device") })
        #expect(
            try charges("192.0.2.7", "--device", "d").contains(
                .init(limit: "failed-sign-in-by-device", subject: "192.0.2.7|d")))
        #expect(try charges("2001:db8::7").contains { $0.limit == "failed-sign-in-by-site" })
        // What an operator lifts for one person must not be everybody's limit.
        #expect(try charges("+4915112345678").allSatisfy { !$0.limit.hasSuffix("country") })
    }

    @Test("R-05, F-03: an account has its codes of authenticator apps, after each first proof")
    func proofs() throws {
        let limits = try #require(SubjectLimits("acc_1", device: "d"))
        let codes = limits.charges.filter { $0.limit == "totp-guess" }
        #expect(codes.map(\.subject) == TOTPLane.allCases.map { $0.subject(of: "acc_1") })
        #expect(codes.allSatisfy { $0.device == "d" })
        #expect(limits.shown(codes[0]) == "totp-guess|password")
    }

    @Test("R-05: a limit without a subject, or a third word, is refused")
    func refused() {
        for words in [["failed-sign-in-by-account"], ["nobody"], [], ["a", "b", "c"]] {
            #expect(throws: (any Error).self) { try LimitsCommand.Subject.parse(words) }
        }
    }

    @Test("limits that cannot be found from an email are named, with how to look at them")
    func note() throws {
        let email = try #require(SubjectLimits("ada@example.org", device: "")?.note)
        #expect(email.contains("--device DEVICE") && email.contains("peek ADDRESS"))
        #expect(SubjectLimits("192.0.2.7", device: "d")?.note == nil)
        #expect(SubjectLimits("acc_1", device: "")?.note == nil)
    }

    @Test("the state of each limit says until when it refuses")
    func row() {
        let now = Timestamp(milliseconds: 1_000)
        let blocked = RateLimitV1.Decision(
            limited: true, limit: "mail-by-target", retryAfterMs: 60_000)
        #expect(
            blocked.row("mail-by-target", at: now).line
                == "mail-by-target  blocked  until 1970-01-01T00:01:01.000Z")
        let free = RateLimitV1.Decision(limit: "mail-by-target", remaining: 4)
        #expect(
            free.row("mail-by-target", at: now).line
                == "mail-by-target  free  4 more after the next")
        let endless = RateLimitV1.Decision(limited: true, limit: "a", retryAfterMs: .max)
        #expect(endless.row("a", at: now).line.hasPrefix("a  blocked  until 2"))
    }

    @Test("R-05: a reset that found no count says so")
    func answer() {
        #expect(RateLimitV1.ResetResponse(forgotten: 1).line == "forgotten")
        #expect(RateLimitV1.ResetResponse().line == "nothing was counted")
    }
}
