import Contracts
import Testing

@testable import IdentityService

@Suite("N-07: the rule by which channels an owner is told")
struct NoticeRouteTests {
    /// Told by mail, push and text.
    private static let grave: Set<MailTemplate> = [
        .newDevice, .sessionReplayed, .methodAdded, .methodRemoved, .passwordChanged,
        .deletionScheduled, .secondFactorOn, .secondFactorOff, .secondFactorResetRequested,
        .secondFactorReset,
    ]
    /// Told by mail and push.
    private static let pushed: Set<MailTemplate> = [
        .signIn, .sessionDisplaced, .emailChanged, .signInLocked, .numberChanged,
    ]

    private func route(
        _ template: MailTemplate, _ isProved: Bool?, hasNumber: Bool = true,
        push: NoticeSettings.Push = .withoutMail, text: NoticeSettings.Text = .grave
    ) -> NoticeRoute {
        var settings = NoticeSettings()
        settings.push = push
        settings.text = text
        return NoticeRoute(of: template, to: isProved, hasNumber: hasNumber, settings)
    }

    @Test("the table, for every mail")
    func table() {
        for template in MailTemplate.allCases {
            let hasText = Self.grave.contains(template)
            let hasPush = hasText || Self.pushed.contains(template)
            let isPrivate = [.signIn, .newDevice].contains(template)
            let none = route(template, nil)
            #expect(none.mail == .unsent, "\(template)")
            #expect(none.isPushed == hasPush && none.isTexted == hasText, "\(template)")
            let unproved = route(template, false)
            #expect(unproved.mail == (isPrivate ? .unsent : .bare), "\(template)")
            #expect(unproved.isPushed == hasPush && unproved.isTexted == hasText, "\(template)")
            let proved = route(template, true)
            #expect(proved.mail == .whole, "\(template)")
            #expect(proved.isPushed == template.isPushedAlways, "\(template)")
            #expect(!proved.isTexted, "\(template)")
        }
    }

    @Test("with `always` a proved address is mailed and its devices get the push, but no text")
    func always() {
        let route = route(.passwordChanged, true, push: .always)
        #expect(route.mail == .whole && route.isPushed && !route.isTexted)
        #expect(!self.route(.accountSuspended, true, push: .always).isPushed)
    }

    @Test("F-03: a removal of second factors by support is pushed to every device of the account")
    func pushedAlways() {
        let pushed = MailTemplate.allCases.filter(\.isPushedAlways)
        #expect(pushed == [.secondFactorResetRequested, .secondFactorReset])
    }

    @Test("no text is sent to an unusable number, or while texts are off")
    func noText() {
        #expect(!route(.passwordChanged, nil, hasNumber: false).isTexted)
        #expect(!route(.passwordChanged, nil, text: .off).isTexted)
        #expect(route(.passwordChanged, nil, text: .off).isPushed)
    }

    @Test("the stored number of the channels tells a text by itself")
    func channels() {
        #expect(route(.passwordChanged, true).channels == 1)
        #expect(route(.passwordChanged, true, push: .always).channels == 3)
        #expect(route(.passwordChanged, nil, hasNumber: false).channels == 2)
        #expect(route(.passwordChanged, nil).channels == 6)
        #expect(route(.passwordChanged, false).channels == 7)
        #expect(route(.accountSuspended, nil).channels == 0)
        let others = NoticeRoute.Channel.allCases.filter { $0 != .text }
        let sum = others.reduce(0) { $0 + $1.rawValue }
        #expect(sum < NoticeRoute.Channel.text.rawValue)
    }
}
