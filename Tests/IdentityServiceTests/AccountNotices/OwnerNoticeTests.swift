import Addresses
import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("N-01: notices to an account's owner")
struct OwnerNoticeTests {
    private var notices: [MailTemplate] { MailTemplate.allCases.filter { $0.noticeKind != nil } }

    @Test("no two notices have the same number")
    func numbers() {
        #expect(Set(notices.map(\.noticeKind)).count == notices.count)
    }

    @Test("another service requests the notices below 64 by their numbers, and no other")
    func requested() {
        for number in Int32(-1)...100 {
            let expected = notices.first { $0.noticeKind == Int64(number) && number < 64 }
            #expect(MailTemplate(IdentityV1.NoticeKind(rawValue: number)) == expected)
        }
        #expect(MailTemplate(IdentityV1.NoticeKind.sessionDisplaced) == .sessionDisplaced)
        #expect(MailTemplate(IdentityV1.NoticeKind.sessionReplayed) == .sessionReplayed)
    }

    @Test("each notice has the device, place and time of its event and what its flow adds")
    func filled() async throws {
        let fixture = try IdentityFixture()
        let account = try await fixture.registerProved().accountId
        let owner = try #require(AccountID(text: account))
        let mail = fixture.writer.notices
        // The last mail has no account.
        let all = notices.filter { $0 != .deletionDone }
        let address = try #require(EmailAddress("new@example.org"))
        try await fixture.store.writeUnchecked { transaction in
            for notice in all {
                try mail.write(
                    notice, to: owner,
                    DeviceShown(
                        name: "Ada's phone", platform: "ios",
                        at: Place(country: "DE", city: "Berlin")),
                    with: [
                        .name("Ada"), .method(.provider("google")), .methods([.phone]), .count(3),
                        .address(address), .link("https://app.example/keep-account?token=t"),
                    ],
                    at: Timestamp(milliseconds: 1_767_225_600_000), transaction)
            }
        }
        try await fixture.relay()
        let values = [
            "device": "Ada's phone", "place": "Berlin, DE", "time": "2026-01-01 00:00 UTC",
            "name": "Ada", "method": "google", "methods": "phone", "count": "3",
            "address": "new@example.org", "link": "https://app.example/keep-account?token=t",
            "security-link": "https://app.example/security",
        ]
        for notice in all {
            let sent = fixture.notifications.mails.last { $0.template == notice.rawValue }
            let variables = try #require(sent, "\(notice)").variables
            #expect(variables.map(\.name) == notice.variables.map(\.rawValue))
            for variable in variables where values[variable.name] != nil {
                #expect(variable.value == values[variable.name], "\(notice)")
            }
            let links = variables.filter { $0.name == "not-me-link" }
            #expect(links.allSatisfy { $0.value.hasPrefix("https://app.example/not-me?token=") })
        }
    }

    @Test(
        "a mail that is no notice is not sent as one, nor is the last mail, which has no account",
        arguments: [MailTemplate.verifyEmail, .deletionDone])
    func noNotice(_ template: MailTemplate) async throws {
        let fixture = try IdentityFixture()
        let account = try await fixture.registerProved().accountId
        let owner = try #require(AccountID(text: account))
        let mail = fixture.writer.notices
        let error = try await refusal {
            try await fixture.store.writeUnchecked { transaction in
                try mail.write(
                    template, to: owner, DeviceShown(name: "", platform: ""), transaction)
            }
        }
        #expect(error.code == .internalError)
        #expect(try await fixture.waiting() == 0)
    }
}
