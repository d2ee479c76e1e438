import Cryptography
import Logging
import ServiceRuntime
import Storage

/// The route of text messages (N-02): the first provider whose circuit breaker is closed and whose
/// rate is not used up. If that one fails, the next one is tried.
///
/// A provider that times out may have taken the message. The next one is tried all the same: a
/// duplicate costs a cent, a missing code costs a sign-in. If no provider confirms the message, the
/// outcome is `uncertain`. Such attempts are limited (`Delivery.unansweredMax`), because each may
/// be charged.
struct SMSRoute: MessageRoute {
    /// A longer text is too expensive: each segment is charged.
    private static let segmentsMax = 4

    private let providers: [any SMSProvider]
    private let templates: Reloadable<TemplateCatalogue>
    private let product: HeaderText
    private let lines: AutofillLines
    private let store: Store
    private let keys: NotificationKeys
    private let time: any Time
    private let logger: Logger

    /// A route over `providers`, in order of preference.
    init(
        providers: [any SMSProvider], templates: Reloadable<TemplateCatalogue>, product: HeaderText,
        lines: AutofillLines, store: Store,
        keys: NotificationKeys, time: any Time, logger: Logger
    ) {
        precondition(!providers.isEmpty, "a route needs a provider")
        self.providers = providers
        self.templates = templates
        self.product = product
        self.lines = lines
        self.store = store
        self.keys = keys
        self.time = time
        self.logger = logger
    }

    var readiness: RouteReadiness { .any(of: providers.map(\.providerGuard)) }

    func deliver(_ message: OutgoingMessage) async -> DeliveryOutcome {
        guard case .sms(let order) = message.content else { return .failed(.wrongChannel) }
        guard let words = templates.value.text(of: order, product: product, lines: lines)
        else {
            return .failed(.notRendered)
        }
        guard Self.segments(of: words) <= Self.segmentsMax else {
            return .refused(.tooLong)
        }
        do {
            let now = time.now()
            let isSuppressed = try await store.read {
                try $0.isNumberSuppressed(message.recipient, at: now)
            }
            if isSuppressed { return .refused(.numberStopped) }
        } catch {
            return .failed(.store)
        }
        let text = OutgoingText(
            id: message.id, recipient: order.recipient, text: words, expiresAt: message.expiresAt)
        return await outcome(of: text, message)
    }

    /// Marks the number as dead, so that the next message to it is not charged.
    /// - Throws: `SQLError`.
    func suppress(_ address: DeadAddress, in transaction: Transaction) throws {
        try transaction.suppressNumber(address.recipient, reason: address.reason)
    }

    /// Tries one provider after the other.
    private func outcome(
        of text: OutgoingText, _ message: OutgoingMessage
    ) async -> DeliveryOutcome {
        var failure: DeliveryOutcome?
        var uncertain: DeliveryOutcome?
        // The provider that is free first. Trying it later is no attempt.
        var closed: (reason: String, until: Timestamp)?
        for provider in providers {
            let answer: ProviderAnswer
            switch provider.providerGuard.enter() {
            case .closed(let word, let until):
                if closed.map({ until < $0.until }) ?? true { closed = (word, until) }
                continue
            case .pass(let pass):
                answer = await provider.send(text)
                provider.providerGuard.leave(pass, answer.breakerOutcome)
            }
            switch answer {
            case .taken, .addressIsDead, .refused: return answer.outcome
            case .takenForChangedNumber: return await takenForChangedNumber(message, text.recipient)
            case .uncertain: uncertain = answer.outcome
            case .cancelled: return uncertain ?? answer.outcome
            case .later, .failed: failure = answer.outcome
            }
        }
        if let outcome = uncertain ?? failure { return outcome }
        guard let closed else { return .failed(.noProvider) }
        return .unavailable(closed.reason, until: closed.until)
    }

    /// The number may have a new owner. Identity must know before it accepts a code sent there as a
    /// proof. The report waits in the outbox until identity has it (`NumberChangeRelay`).
    private func takenForChangedNumber(
        _ message: OutgoingMessage, _ number: String
    ) async -> DeliveryOutcome {
        logger.warning(
            "notification.sms.number_changed",
            "the SMS provider reports that the number changed hands recently",
            fields: [.messageID: .text(message.id.text)])
        do {
            try await store.write(about: [], evenIfCancelled: true) { transaction in
                try transaction.audit(AuditEvent(.numberChanged, subject: message.recipient))
                try transaction.enqueue(
                    NumberChangeMessage(number: number, reportedAt: transaction.at)
                        .message(key: "number-changed/\(message.id.text)", keys))
            }
        } catch {
            // The message has been sent. Failing it because of the report would send it again.
            logger.error(
                "notification.sms.number_change.failed", "recording a changed phone number failed",
                fields: [.detail: .error(error)])
        }
        return .taken
    }
}

/// A provider that delivers text messages to phones.
protocol SMSProvider: Sendable {
    /// Its circuit breaker and rate limit.
    var providerGuard: ProviderGuard { get }

    /// Sends one message, within a bounded time. The answer does not distinguish a message that the
    /// provider never received from one that it took without an answer reaching us.
    func send(_ text: OutgoingText) async -> ProviderAnswer
}

/// A text message to send.
struct OutgoingText: Hashable, Sendable {
    /// The same at every attempt.
    let id: MessageID
    /// E.164.
    let recipient: String
    /// The text that the phone shows.
    let text: String
    /// When the message expires.
    let expiresAt: Timestamp?
}

/// The number of segments in which a text is transmitted, each of which is charged (3GPP TS 23.038,
/// TS 23.040): up to 160 characters of the GSM alphabet, or 70 UTF-16 units if a single character
/// is outside it. In a text of several segments each holds a little less.
extension SMSRoute {
    /// The number of segments of `text`.
    static func segments(of text: String) -> Int {
        if let septets = septets(of: text) {
            return septets <= 160 ? 1 : (septets + 152) / 153
        }
        let units = text.utf16.count
        return units <= 70 ? 1 : (units + 66) / 67
    }

    /// The length in the GSM alphabet, where a few characters count twice; nil when `text` has a
    /// character that is not in it.
    private static func septets(of text: String) -> Int? {
        var count = 0
        for scalar in text.unicodeScalars {
            if basic.contains(scalar) {
                count += 1
            } else if extended.contains(scalar) {
                count += 2
            } else {
                return nil
            }
        }
        return count
    }

    private static let basic = Set(
        ("@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡"
            + "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà").unicodeScalars)
    private static let extended = Set("\u{0C}^{}\\[~]|€".unicodeScalars)
}
