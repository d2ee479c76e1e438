import Addresses
import Contracts
import JSON
import Messages
import ServiceRuntime

/// All limits that may refuse a person, on one subject that the operator names without a limit.
///
/// A known device has a lane of its own, and the limiter stores keyed hashes only: neither an
/// account's devices nor the addresses of its owner can be found from an email.
struct SubjectLimits {
    private enum Kind {
        case account
        case email
        case phoneNumber
        case networkAddress
    }

    private let kind: Kind
    /// As the gateway names it in charges.
    private let subject: String
    private let device: String

    /// - Parameter device: a device of the person; empty for none.
    /// - Returns: nil for a text that is no account's id, email, phone number with its + or network
    ///   address.
    init?(_ text: String, device: String) {
        self.device = device
        if text.hasPrefix("acc_") {
            kind = .account
            subject = text
        } else if text.hasPrefix("+") {
            kind = .phoneNumber
            subject = text
        } else if let email = EmailAddress(text) {
            kind = .email
            subject = String(decoding: email.normalised, as: UTF8.self)
        } else if ClientAddress(text) != nil {
            kind = .networkAddress
            subject = text
        } else {
            return nil
        }
    }

    /// One charge for each limit. With a device, that of the device's lane if the subject knows it.
    var charges: [RateLimitV1.Charge] {
        let ofSubject = Self.limits(on: subjects).map {
            RateLimitV1.Charge(limit: $0.rawValue, subject: subject, device: device)
        }
        return ofSubject + afterFirstProofs + atAddress
    }

    /// Codes of an account's authenticator app are counted for each kind of first proof.
    private var afterFirstProofs: [RateLimitV1.Charge] {
        guard kind == .account else { return [] }
        return TOTPLane.allCases.flatMap { lane in
            Self.limits(on: [.accountAndProof]).map {
                RateLimitV1.Charge(
                    limit: $0.rawValue, subject: lane.subject(of: subject), device: device)
            }
        }
    }

    private var atAddress: [RateLimitV1.Charge] {
        guard kind == .networkAddress, !device.isEmpty else { return [] }
        return Self.limits(on: [.deviceAtAddress]).map {
            RateLimitV1.Charge(limit: $0.rawValue, subject: "\(subject)|\(device)")
        }
    }

    /// How a charge is shown: `totp-guess|password` is counted after that first proof.
    func shown(_ charge: RateLimitV1.Charge) -> String {
        guard kind == .account, charge.subject != subject else { return charge.limit }
        return charge.limit + charge.subject.dropFirst(subject.count)
    }

    /// The limits that flows charge on such subjects. Those that are part of others are reached by
    /// these.
    private static func limits(on subjects: [LimitSubject]) -> [LimitName] {
        LimitName.allCases.filter {
            !$0.isInternal && subjects.contains($0.definition.subject)
        }
    }

    /// Not those on a block or a country of numbers, nor those on all sign-ins: a reset for one
    /// person must not lift them for all.
    private var subjects: [LimitSubject] {
        switch kind {
        case .account: [.account, .accountOrEmail]
        case .email: [.email, .accountOrEmail]
        case .phoneNumber: [.phoneNumber]
        case .networkAddress: [.address, .site] + (subject.contains(":") ? [.siteIPv6] : [])
        }
    }

    /// Which limits may refuse the person too, and how to see them; nil if there are none.
    var note: String? {
        switch kind {
        case .account: return nil
        case .email, .phoneNumber:
            let lane = device.isEmpty ? "that of a known device (--device DEVICE), and " : ""
            return "not looked at: \(lane)those on the person's network address and device "
                + "(`postern limits peek ADDRESS --device DEVICE`)"
        case .networkAddress:
            return device.isEmpty ? "not looked at: those on a device (--device DEVICE)" : nil
        }
    }
}

extension RateLimitV1.Decision {
    /// Longer than any wait; a bound for the arithmetic. In milliseconds, 34 years.
    private static let waitMax: UInt64 = 1 << 40

    /// Its row among all limits on a subject:
    /// `failed-sign-in-by-account  blocked  until 2026-01-31T09:05:00.000Z`
    /// - Parameter shown: the limit with what it is counted for.
    func row(_ shown: String, at now: Timestamp) -> Row {
        let wait = Duration.milliseconds(Int64(min(retryAfterMs, Self.waitMax)))
        let until = limited ? now + wait : nil
        let left = limited ? "" : "\(remaining)"
        return Row([
            .init("limit", shown),
            .init(
                "limited", .boolean(limited), text: limited ? "blocked" : "free", heading: "state"),
            .init(
                "until", until.map { .moment($0.milliseconds) } ?? .null, text: until?.text ?? "",
                phrase: until.map { "until \($0.text)" } ?? ""),
            .init(
                "remaining", .integer(Int64(remaining)), text: left,
                phrase: limited ? "" : "\(left) more after the next", heading: "after the next"),
            .init(json: "retry_after_ms", .integer(Int64(clamping: retryAfterMs))),
        ])
    }
}
