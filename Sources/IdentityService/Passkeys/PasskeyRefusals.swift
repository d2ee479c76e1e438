import Cryptography
import Logging
import Metrics
import ServiceRuntime

/// Says why responses of passkeys are refused: the caller learns only that one was. The usual
/// reason is a mistake of the operator's, such as an origin that is not in the settings. A counter
/// and one log line a minute for each reason, since anybody can send responses.
struct PasskeyRefusals: Sendable {
    private struct Seen: Sendable {
        let counter: Counter
        let throttle: LogThrottle
    }

    private let seen: [PasskeyRefusal: Seen]
    private let logger: Logger

    init(time: any Time, logger: Logger) {
        seen = Dictionary(
            uniqueKeysWithValues: PasskeyRefusal.allCases.map { reason in
                (
                    reason,
                    Seen(
                        counter: Counter(
                            label: "passkey_refusals", dimensions: [("reason", reason.rawValue)]),
                        throttle: LogThrottle(time: time))
                )
            })
        self.logger = logger
    }

    /// Counts a refusal, and logs it if its reason was not logged in the last minute.
    func count(_ reason: PasskeyRefusal) {
        guard let seen = seen[reason] else { return }
        seen.counter.increment()
        guard seen.throttle.allows() else { return }
        logger.info(
            "identity.passkey.refused", "the response of a passkey was refused",
            fields: [.reason: .text(reason.rawValue)])
    }
}
