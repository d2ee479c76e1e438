import Addresses
import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("N-07: each owner is told by the best channel there is", .timeLimit(.minutes(2)))
struct NoticeChannelTests {
    /// Whom a notice is about.
    enum Person: CaseIterable, Sendable {
        case proved, unproved, phoneWithDevice, phoneWithoutDevice, phoneInGuard, guest
    }

    enum Channel: Hashable, Sendable {
        case mail, push, text
    }

    private static let grave: Set<MailTemplate> = [
        .newDevice, .sessionReplayed, .methodAdded, .methodRemoved, .passwordChanged,
        .deletionScheduled, .secondFactorOn, .secondFactorOff, .secondFactorResetRequested,
        .secondFactorReset,
    ]
    private static let pushed: Set<MailTemplate> = [
        .signIn, .sessionDisplaced, .emailChanged, .signInLocked, .numberChanged,
    ]
    private static let notices = MailTemplate.allCases.filter {
        $0.noticeKind != nil && $0 != .deletionDone
    }

    private func expected(_ person: Person, _ notice: MailTemplate) -> Set<Channel> {
        let hasText = Self.grave.contains(notice)
        let hasPush = hasText || Self.pushed.contains(notice)
        return switch person {
        case .proved: [.mail]
        case .unproved: [.signIn, .newDevice].contains(notice) ? [] : [.mail]
        case .phoneWithDevice, .guest: hasPush ? [.push] : []
        case .phoneWithoutDevice: hasText ? [.text] : []
        case .phoneInGuard: []
        }
    }

    private func account(_ person: Person, _ identity: IdentityFixture) async throws -> AccountID {
        let phone = PhoneCodeFixture(identity)
        let account: GatewayV1.Account
        switch person {
        case .proved: account = try await identity.registerProved()
        case .unproved: account = try #require(try await identity.register().account)
        case .phoneWithDevice, .phoneWithoutDevice: account = try await phone.account()
        case .phoneInGuard:
            account = try await phone.account()
            try await phone.change()
        case .guest: account = try await identity.signInAsGuest()
        }
        if person == .phoneWithDevice || person == .guest {
            identity.pushes.register(account.accountId)
        }
        try await identity.relay()
        return try #require(AccountID(text: account.accountId))
    }

    /// Writes a notice as a flow does, as the first of the day.
    private func tell(
        _ notice: MailTemplate, to owner: AccountID, _ identity: IdentityFixture,
        except session: String = ""
    ) async throws {
        let address = try #require(EmailAddress("new@example.org"))
        let values: [MailValue] = [
            .name("Ada"), .method(.provider("google")), .methods([.phone]), .count(3),
            .address(address), .link("https://app.example/keep-account?token=t"),
        ]
        let notices = identity.writer.notices
        _ = try await identity.store.writeUnchecked { transaction in
            try notices.write(
                notice, to: owner, DeviceShown(name: "Ada's phone", platform: "ios"),
                with: values, except: session, transaction)
        }
    }

    private func forget(_ identity: IdentityFixture) async throws {
        try await identity.change("DELETE FROM notices")
        try await identity.change("DELETE FROM unrequested_mails")
    }

    /// The channels that have got a notice since `before` were counted.
    private func channels(
        _ notice: MailTemplate, _ identity: IdentityFixture, since before: (Int, Int, Int)
    ) -> [Channel] {
        let mails = identity.notifications.mails.dropFirst(before.0)
            .filter { $0.template == notice.rawValue }
        let pushes = identity.pushes.pushes.dropFirst(before.1)
            .filter { $0.template == notice.push?.rawValue }
        let texts = identity.texts.texts.dropFirst(before.2)
            .filter { $0.template == notice.text?.rawValue }
        return mails.map { _ in Channel.mail } + pushes.map { _ in Channel.push }
            + texts.map { _ in Channel.text }
    }

    private func counts(_ identity: IdentityFixture) -> (Int, Int, Int) {
        (
            identity.notifications.mails.count, identity.pushes.pushes.count,
            identity.texts.texts.count
        )
    }

    @Test(
        "each account gets each notice by the channels of the table, once",
        arguments: Person.allCases)
    func matrix(person: Person) async throws {
        let identity = try IdentityFixture()
        let owner = try await account(person, identity)
        for notice in Self.notices {
            try await forget(identity)
            let before = counts(identity)
            try await tell(notice, to: owner, identity)
            try await identity.relay()
            let found = channels(notice, identity, since: before)
            #expect(Set(found) == expected(person, notice), "\(notice)")
            #expect(found.count == Set(found).count, "\(notice) is sent once")
            let after = counts(identity)
            let all = after.0 + after.1 + after.2 - before.0 - before.1 - before.2
            #expect(all == found.count, "\(notice) sends nothing else")
        }
    }

    @Test("a push has kind and time as data, and texts and pushes have the owner's language")
    func contents() async throws {
        let identity = try IdentityFixture()
        let owner = try await account(.phoneWithDevice, identity)
        try await tell(.methodAdded, to: owner, identity)
        try await identity.relay()
        let push = try #require(identity.pushes.pushes.last)
        #expect(push.data.map(\.name) == ["kind", "at_ms"])
        #expect(
            push.data.map(\.value) == ["method-added", "\(identity.time.now().milliseconds)"])
        #expect(push.variables.map(\.value) == ["google"])
        #expect(push.accountId == owner.text && push.title.isEmpty && push.body.isEmpty)
        let life = NoticeOrder.life.milliseconds
        #expect(push.expiresAtMs == identity.time.now().milliseconds + life)
        #expect(identity.texts.texts.allSatisfy { $0.template == "phone-code" })
    }

    @Test("a mail to an unproved address has neither the device's name nor the link")
    func bare() async throws {
        let identity = try IdentityFixture()
        let owner = try await account(.unproved, identity)
        for notice in [MailTemplate.deletionScheduled, .passwordChanged] {
            try await tell(notice, to: owner, identity)
            try await identity.relay()
            let mail = try #require(identity.notifications.mails.last)
            #expect(mail.template == notice.rawValue)
            for variable in mail.variables where ["link", "device"].contains(variable.name) {
                #expect(variable.value == "", "\(notice)")
            }
        }
    }

    @Test("devices of the acting session get no push, and do not hold a text back")
    func actingSession() async throws {
        let identity = try IdentityFixture()
        let owner = try await account(.phoneWithoutDevice, identity)
        identity.pushes.register(owner.text, session: "ses_0000000000002")
        try await tell(.methodAdded, to: owner, identity, except: "ses_0000000000002")
        try await identity.relay()
        #expect(identity.pushes.pushes.isEmpty)
        #expect(identity.texts.texts.last?.template == "method-added")
        identity.pushes.register(owner.text)
        try await tell(.methodRemoved, to: owner, identity, except: "ses_0000000000002")
        try await identity.relay()
        #expect(identity.pushes.pushes.map(\.template) == ["method-removed"])
        #expect(identity.texts.texts.last?.template == "method-added")
    }

    @Test("three texts a day are sent to an account, of all kinds together; pushes go on")
    func textCap() async throws {
        let identity = try IdentityFixture()
        let owner = try await account(.phoneWithoutDevice, identity)
        let grave: [MailTemplate] = [.methodAdded, .methodRemoved, .newDevice, .passwordChanged]
        for notice in grave {
            try await tell(notice, to: owner, identity)
            try await identity.relay()
        }
        func texts() -> [String] { identity.texts.texts.map(\.template) }
        #expect(texts() == ["phone-code", "method-added", "method-removed", "new-device"])
        #expect(identity.pushes.calls == 4)
        identity.time.advance(by: NoticeRule.day)
        try await tell(.sessionReplayed, to: owner, identity)
        try await identity.relay()
        #expect(texts().last == "session-replayed" && texts().count == 5)
    }

    @Test("texts go to the countries of codes only, and not while they are off")
    func countries() async throws {
        let first = try IdentityFixture()
        let owner = try await account(.phoneWithoutDevice, first)
        first.store.close()
        var off = NoticeSettings()
        off.text = .off
        for (phone, settings) in [
            (PhoneSettings(countries: ["FR"]), NoticeSettings()),
            (PhoneSettings(countries: []), NoticeSettings()),
            (PhoneSettings(countries: ["all"]), off),
        ] {
            let next = try IdentityFixture(
                folder: first.folder, time: first.time, seed: 2, noticeSettings: settings,
                phone: phone)
            try await forget(next)
            try await tell(.passwordChanged, to: owner, next)
            try await next.relay()
            #expect(next.texts.texts.isEmpty && next.pushes.calls == 1)
            next.store.close()
        }
    }
}
