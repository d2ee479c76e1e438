import Contracts
import Messages
import ServiceRuntime
import Testing

@testable import IdentityService

@Suite("Mails of identity")
struct IdentityMailTests {
    private static let mails: [IdentityMail] = [
        .verifyEmail(link: "l", life: .seconds(86_400)),
        .resetPassword(link: "l", life: .seconds(3_600)),
        .emailChangeConfirm(link: "l", life: .seconds(86_400)),
        .emailChangeRequested(address: "a", time: "t"), .emailChanged(address: "a", time: "t"),
        .passwordChanged(device: "d", time: "t"),
        .newDevice(method: "m", device: "d", time: "t"),
        .welcome(name: "n", device: "d", time: "t"),
        .methodAdded(method: "m", device: "d", time: "t"),
        .methodRemoved(method: "m", device: "d", time: "t"),
        .addressClaimed(methods: ["m"], time: "t"),
        .emailAlreadyRegistered(methods: ["m"], link: "l"),
        .guestDataAttention(documents: 3),
        .accountSuspended(time: "t"), .accountRestored(time: "t"),
        .parentalConsent(link: "l", time: "t"),
        .sessionDisplaced(device: "d", time: "t"), .sessionReplayed(device: "d", time: "t"),
    ]

    @Test("N-01: each mail has a value for each variable of its template, once", arguments: mails)
    func variables(_ mail: IdentityMail) {
        #expect(
            mail.variables.map(\.variable.rawValue).sorted()
                == mail.template.variables.map(\.rawValue).sorted())
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
