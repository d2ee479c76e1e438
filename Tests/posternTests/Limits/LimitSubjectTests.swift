import ArgumentParser
import Messages
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
        #expect(arguments.charge == .init(limit: limit, subject: counted, device: "Phone"))
    }

    @Test("R-05: a reset that found no count says so")
    func answer() {
        #expect(RateLimitV1.ResetResponse(forgotten: 1).line == "forgotten")
        #expect(RateLimitV1.ResetResponse().line == "nothing was counted")
    }
}
