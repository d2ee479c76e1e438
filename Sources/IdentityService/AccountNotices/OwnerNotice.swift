import Addresses
package import Contracts
package import ServiceRuntime
package import Storage

/// Enqueues a notice to an account's owner, in the transaction of the change that it reports: the
/// mail, and one order for push message and text (N-01, N-07). Which of them go is decided here, by
/// `NoticeRule` and `NoticeRoute`.
package struct OwnerNotice: AccountWriting, Sendable {
    /// Writes accounts.
    package let writer: AccountWriter

    /// - Parameters:
    ///   - template: A mail with a `noticeKind`; its row has the push message and the text.
    ///   - values: For the template's variables besides device, place and time.
    ///   - moment: Time of the event; nil for the transaction's.
    ///   - key: The idempotency key of the mail at the notification service, and the one of which
    ///     those of push and text are derived; nil for a new one.
    ///   - isOperators: Whether only the operator causes it: `UnrequestedMailRule` does not count
    ///     it then.
    ///   - session: The session whose own act it reports, "ses_…": its devices get no push
    ///     message; empty for none.
    ///   - method: The name of the sign-in method, or the id of the first second factor or of a
    ///     passkey, that was added, which the mail's second link removes (`DisownLinks`); nil for
    ///     none. A mail that is to have no such link gets `.notMeLink(nil)` as a value.
    /// - Returns: false when nothing is sent: the account has no way to be told or is being
    ///   deleted, or `NoticeRule` or `UnrequestedMailRule` forbids it.
    /// - Throws: `rpc/internal` for a mail that is no notice, and as `Mail`; otherwise when the
    ///   address or the number does not open.
    @discardableResult
    package func write(
        _ template: MailTemplate, to account: AccountID, _ device: DeviceShown,
        with values: [MailValue] = [], at moment: Timestamp? = nil, key: String? = nil,
        byOperator isOperators: Bool = false, except session: String = "",
        about method: String? = nil, _ transaction: Transaction
    ) throws -> Bool {
        guard let row = try transaction.account(account) else { return false }
        return try write(
            template, to: row, device, with: values, at: moment, key: key,
            byOperator: isOperators, except: session, about: method, transaction)
    }

    /// The same to the owner of an account as it was before the change.
    ///
    /// Attack: a thief with a session of an account adds a number, or an identity with an address,
    /// which then is the account's. The notice about it goes to the ways that the account had
    /// before.
    /// - Parameters:
    ///   - expiresAt: Nothing is sent after this time; nil for no expiry of the mail.
    ///   - hasMail: Whether its address can still get mail.
    /// - Throws: as the other.
    @discardableResult
    package func write(
        _ template: MailTemplate, to row: AccountRow, _ device: DeviceShown,
        with values: [MailValue] = [], at moment: Timestamp? = nil, key: String? = nil,
        byOperator isOperators: Bool = false, except session: String = "",
        about method: String? = nil, until expiresAt: Timestamp? = nil,
        byMail hasMail: Bool = true, _ transaction: Transaction
    ) throws -> Bool {
        // The last mail names no account (`DeletionMail`).
        guard let kind = template.noticeKind, template != .deletionDone else {
            throw ServiceError(.internalError, detail: "\(template.rawValue) is no notice")
        }
        let key = key ?? outbox.newKey()
        guard row.status != .deleting,
            NoticeRule.permits(
                template,
                recent: try transaction.recentNotices(
                    row.account, kind, within: NoticeRule.limit(of: template).window))
        else { return false }
        let isProved = hasMail ? row.address.map { $0.provedAt != nil } : nil
        let number =
            isProved == true ? nil : try textNumber(for: template, of: row, transaction)
        var route = NoticeRoute(of: template, to: isProved, hasNumber: number != nil, settings)
        let event = EventValues(device, moment ?? transaction.at, values)
        if route.mail != .unsent {
            let isSent = try sendMail(
                template, route.mail, to: row, event, key: key, byOperator: isOperators,
                about: method, until: expiresAt, transaction)
            if !isSent { route.mail = .unsent }
        }
        if route.isPushed || route.isTexted {
            let order = try NoticeOrder(
                template, route, to: row, number: number, event, except: session,
                at: transaction.at, until: expiresAt)
            try transaction.enqueue(order.message(key: key, keys))
        }
        guard route.channels != 0 else { return false }
        try transaction.recordNotice(row.account, kind, route.channels)
        return true
    }

    /// - Returns: whether the mail is enqueued.
    private func sendMail(
        _ template: MailTemplate, _ form: NoticeRoute.MailForm, to row: AccountRow,
        _ event: EventValues, key: String, byOperator isOperators: Bool, about method: String?,
        until: Timestamp?, _ transaction: Transaction
    ) throws -> Bool {
        guard let owned = row.address, let recipient = try reader.address(row),
            try form == .whole || isOperators
                || transaction.maySend(.account, to: owned.lookUpKey)
        else { return false }
        var values = form == .whole ? event.whole : event.bare
        if template.variables.contains(.notMeLink),
            !values.contains(where: { $0.variable == .notMeLink })
        {
            values.append(
                try writer.disownLinks.value(to: row, about: method, writer, transaction))
        }
        if template.variables.contains(.securityLink) {
            let origin = form == .whole ? writer.disownLinks.origin : nil
            values.append(.securityLink(origin: origin))
        }
        try transaction.enqueue(
            outbox.email(
                Mail(template, values), of: row.account,
                to: recipient.mailbox, language: row.language, expiresAt: until, key: key))
        return true
    }

    /// The account's number, if a text about a notice may go there; nil otherwise.
    ///
    /// Attack ("SIM swap"): a thief has a number moved to their own SIM and takes the account over.
    /// The warnings would go to the thief, and cost money. Within the guard period the owner hears
    /// by push only. Attack ("SMS pumping"): somebody causes texts to a number in a country where
    /// they are expensive; they go to the countries of codes only.
    private func textNumber(
        for template: MailTemplate, of row: AccountRow, _ transaction: Transaction
    ) throws -> PhoneNumber? {
        guard template.text != nil, settings.text == .grave,
            let number = try reader.phoneNumber(row), settings.phone.refusal(of: number) == nil,
            settings.phone.test(number) == nil
        else { return nil }
        let change = try transaction.numberChange(keys.lookUpKey(of: number))
        guard
            !NumberChangeRule.isGuarded(
                change, for: settings.phone.changeGuard, at: transaction.at),
            NoticeRule.permitsText(recent: try transaction.recentTexts(row.account))
        else { return nil }
        return number
    }

    private var settings: NoticeSettings { writer.noticeSettings }
}

/// What fills the variables of a notice.
struct EventValues: Sendable {
    /// The time of the event.
    let at: Timestamp
    /// For the account's own devices, and for a proved address.
    let whole: [MailValue]
    /// For the reader of an address that is not proved, who may be a stranger: without the device's
    /// name, which strangers choose, and without a link, which is the owner's.
    let bare: [MailValue]

    init(_ device: DeviceShown, _ moment: Timestamp, _ values: [MailValue]) {
        at = moment
        let event: [MailValue] = [.place(device.place), .time(moment)]
        let named: [MailValue] = [.device(device)]
        let unnamed: [MailValue] = [.noLink, .device(DeviceShown(nil))]
        // Of several values of a variable the first counts.
        whole = values + named + event
        bare = unnamed + values + event
    }
}

extension OwnerNotice {
    /// Tells that the deletion of an account waits. The mail to a proved address has a link that
    /// cancels it; the reader of another address may be a stranger, and is told without one.
    /// - Parameters:
    ///   - due: When it begins, and the link ends.
    ///   - origin: Base URL of the link.
    /// - Returns: nil if nothing is sent.
    /// - Throws: as `write`.
    package func deletionScheduled(
        _ account: AccountID, due: Timestamp, origin: String, _ transaction: Transaction
    ) throws -> ScheduledNotice? {
        guard let row = try transaction.account(account) else { return nil }
        let token = LinkToken.drawn(from: randomness)
        let isSent = try write(
            .deletionScheduled, to: row, DeviceShown(nil),
            with: [.link(token.url(.keepAccount, origin: origin)), .time(due)], until: due,
            transaction)
        guard isSent else { return nil }
        return ScheduledNotice(
            keepLink: row.address?.provedAt == nil ? nil : token.hash(.keepAccount, keys.links))
    }

    /// Tells that the deletion of an account was cancelled.
    /// - Throws: as `write`.
    package func deletionCancelled(_ account: AccountID, _ transaction: Transaction) throws {
        try write(.deletionCancelled, to: account, DeviceShown(nil), transaction)
    }
}

/// A notice about a deletion that waits.
package struct ScheduledNotice: Hashable, Sendable {
    /// The keyed hash of the link that cancels it; nil if none was sent.
    package let keepLink: [UInt8]?
}

/// Formats a time for a message.
package enum NoticeTime {
    /// To the minute, in UTC: `2026-01-31 09:05 UTC`.
    package static func text(of moment: Timestamp) -> String {
        let text = moment.text
        let halves = text.split(separator: "T", maxSplits: 1)
        guard halves.count == 2 else { return text }
        return "\(halves[0]) \(halves[1].prefix(5)) UTC"
    }
}
