import Addresses
import Contracts
import Messages
import ServiceRuntime
import Testing

@testable import IdentityService

@Suite("Mails of identity")
struct MailTests {
    /// A value for each variable that mails of this service have, in the order of no template.
    private let values: [MailValue]

    init() throws {
        let address = try #require(EmailAddress("ada@example.org"))
        values = [
            .time(Timestamp(milliseconds: 1_767_225_659_999)), .validity(.seconds(3_600)),
            .link("https://app.example/x"), .address(address), .place(nil), .count(3),
            .device(DeviceShown(name: "Ada's phone", platform: "ios")), .name("Ada"),
            .methods([.password, .provider("google")]), .method(.provider("google")),
            .notMeLink("https://app.example/not-me"),
            .securityLink(origin: "https://app.example"),
        ]
    }

    @Test("N-01: a mail has a value for each variable of its template, once and in their order")
    func order() throws {
        // Codes are sent by callers of the notification service only.
        for template in MailTemplate.allCases where !template.variables.contains(.code) {
            let mail = try Mail(template, values)
            #expect(mail.values.map(\.variable) == template.variables)
            #expect(Set(template.variables).count == template.variables.count, "\(template)")
        }
    }

    @Test(
        "N-01: a mail without the value of a variable is not made",
        arguments: MailTemplate.allCases)
    func missing(_ template: MailTemplate) async throws {
        for variable in template.variables {
            let others = values.filter { $0.variable != variable }
            let error = try await refusal { try Mail(template, others) }
            #expect(error.code == .internalError, "\(variable)")
        }
    }

    @Test("the text of each value is what the notification service reads")
    func texts() {
        #expect(
            values.map(\.text) == [
                "2026-01-01 00:00 UTC", "60", "https://app.example/x", "ada@example.org", "", "3",
                "Ada's phone", "Ada", "password google", "google", "https://app.example/not-me",
                "https://app.example/security",
            ])
        #expect(MailValue.notMeLink(nil).text == "")
        #expect(MailValue.securityLink(origin: nil).text == "")
        #expect(MailValue.validity(.seconds(119)).text == "1")
        #expect(MailValue.validity(.seconds(59)).text == "1", "never 0")
        #expect(MailValue.methods([]).text == "")
        #expect(MailValue.place(Place(country: "DE")).text == "DE")
        #expect(MailValue.place(Place(country: "DE", city: "Berlin")).text == "Berlin, DE")
        let saint = MailValue.place(Place(country: "RU", city: "St. Petersburg"))
        #expect(saint.text == "St Petersburg, RU", "a dot would make a link of it")
    }

    @Test("a name that a stranger chose cannot contain a link, whichever variable it fills")
    func hostile() {
        let name = "https://evil.example/x"
        let device = DeviceShown(name: name, platform: "ios")
        let method = SignInMethod.provider(name)
        for value in [MailValue.device(device), .name(name), .method(method), .methods([method])] {
            #expect(value.text == "https evil example x", "\(value.variable)")
        }
    }

    @Test("N-01: a mail with a link says how long the link is valid, by the setting")
    func validity() async throws {
        let fixture = try IdentityFixture()
        _ = try await fixture.register()
        try await fixture.relay()
        let mail = try #require(fixture.notifications.mails.first)
        let validity = mail.variables.first { $0.name == TemplateVariable.validity.rawValue }
        #expect(
            validity?.value == "\(fixture.settings.verificationLife.milliseconds / 60_000)")
    }
}
