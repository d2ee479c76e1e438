import Addresses
import ArgumentParser
import Contracts
import JSON
import Messages
import RPC
import ServiceRuntime

/// `postern limits`: the rules in force, the state of a subject, and resets.
struct LimitsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limits",
        abstract: "Lists limits, resets them for a locked-out user, rotates the subject key.",
        discussion: """
            Limits are changed in the file of postern-rate-limit's setting limits-file; it is \
            reloaded when it changes. Create one with `postern limits list --settings`, and keep \
            the lines that differ.
            """,
        subcommands: [List.self, Peek.self, Reset.self, Keys.self, RotateKey.self],
        defaultSubcommand: List.self)

    /// `postern limits list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists every limit with the rule in force.")

        @Flag(help: "Print a complete limits file, as YAML.")
        var settings = false

        @Flag(
            help: ArgumentHelp(
                "Print who fills each limit, whom it refuses and how the owner can still sign in.",
                discussion: "As tables in Markdown, with the built-in rules; asks no service."))
        var explain = false

        @OptionGroup var services: EndpointsOption
        @OptionGroup var output: OutputOption

        func run() async throws {
            guard !explain else {
                for group in LimitGroup.allCases {
                    for line in ["## \(group.rawValue)", ""] + group.table + [""] {
                        Screen.line(line)
                    }
                }
                return
            }
            let limits = try await services.call("rate-limit") { limiter in
                try await limiter.operation.listLimits(.init(), limiter.context).limits
            }
            guard !settings else { return limits.flatMap(\.settings).forEach(Screen.line) }
            let width = limits.map(\.name.count).max() ?? 0
            try output.show(limits.map { $0.row(width) })
        }
    }

    /// `postern limits peek [LIMIT] SUBJECT`.
    struct Peek: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the state of a subject, without charging it.",
            usage: "postern limits peek [<limit>] <subject> [--device <device>]",
            discussion: """
                Without a limit: all limits on that email, account, phone number or network \
                address, and until when each refuses. A limit that does not end by waiting shows \
                a day from now.

                  postern limits peek ada@example.org
                  postern limits peek 192.0.2.7 --device DEVICE
                  postern limits peek failed-sign-in-by-account ada@example.org
                """)

        @OptionGroup var subject: Subject
        @OptionGroup var services: EndpointsOption
        @OptionGroup var output: OutputOption

        func run() async throws {
            let decisions = try await decisions()
            guard let limits = subject.allLimits else {
                guard let decision = decisions.first?.decision else { return }
                return try output.show(decision.json, text: [decision.line])
            }
            let now = SystemTime().now()
            try output.show(decisions.map { $0.decision.row(limits.shown($0.charge), at: now) })
            limits.note.map(Screen.error)
        }

        private typealias Decided = (charge: RateLimitV1.Charge, decision: RateLimitV1.Decision)

        /// The decision of each charge.
        private func decisions() async throws -> [Decided] {
            try await services.call("rate-limit", hints: Subject.hints) { limiter in
                var decisions: [Decided] = []
                for charge in subject.charges {
                    let request = RateLimitV1.PeekRequest(charges: [charge])
                    let answer = try await limiter.limits.peek(request, limiter.context)
                    if let decision = answer.decision { decisions.append((charge, decision)) }
                }
                return decisions
            }
        }
    }

    /// `postern limits reset [LIMIT] SUBJECT`.
    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Resets the counters of a subject: for a user who is locked out.",
            usage: "postern limits reset [<limit>] <subject> [--device <device>]",
            discussion: """
                Without a limit: all limits on that email, account, phone number or network \
                address; `postern limits peek` shows which one is reached. Each reset is recorded \
                in the audit trail.

                  postern limits reset ada@example.org --device DEVICE
                  postern limits reset phone-code-guess +4915112345678
                """)

        @OptionGroup var subject: Subject
        @OptionGroup var services: EndpointsOption

        func run() async throws {
            try await services.show("rate-limit", hints: Subject.hints) { limiter in
                var lines: [String] = []
                for charge in subject.charges {
                    let request = RateLimitV1.ResetRequest(charges: [charge])
                    let answer = try await limiter.limits.reset(request, limiter.context)
                    lines.append(
                        subject.allLimits.map { "\($0.shown(charge))  \(answer.line)" }
                            ?? answer.line)
                }
                return lines
            }
            if let note = subject.allLimits?.note { Screen.error(note) }
        }
    }

    /// `postern limits keys`.
    struct Keys: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the keys that subjects are hashed with, the newest first.")

        @OptionGroup var services: EndpointsOption
        @OptionGroup var output: OutputOption

        func run() async throws {
            let keys = try await services.call("rate-limit") { limiter in
                try await limiter.operation.listSubjectKeys(.init(), limiter.context).keys
            }
            try output.show(keys.map(\.row))
        }
    }

    /// `postern limits rotate-key`.
    struct RotateKey: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate-key",
            abstract: "Hashes subjects with a new key from now on; counters are kept.",
            discussion: """
                What counts under the former key goes on there until it ends, and only what begins \
                later is under the new one. The former key is looked up for 91 days, then dropped. \
                Known devices are kept: they count for 90 days, and each success renews them under \
                the new key. Permanent locks, and limits that were charged all the time, start \
                over after the 91 days. Records in the audit trail keep their hashes, so a subject \
                can have different hashes before and after. There are at most four keys.
                """)

        /// What to do about a rejected field.
        private static let hints = [
            "forget_oldest": "all four keys are looked up: wait until the oldest is dropped, 91 "
                + "days after it was replaced (`postern limits keys`), or use --forget-oldest"
        ]

        @Flag(
            help: ArgumentHelp(
                "With four keys, drop the oldest to make room.",
                discussion: """
                    Locks, counters and known devices that are under it are lost. It is recorded \
                    in the audit trail.
                    """))
        var forgetOldest = false

        @OptionGroup var services: EndpointsOption
        @OptionGroup var confirmation: ConfirmationOption

        func run() async throws {
            if forgetOldest {
                try confirmation.confirm(
                    "locks, counters and known devices under the oldest key are lost")
            }
            let request = RateLimitV1.RotateSubjectKeyRequest(forgetOldest: forgetOldest)
            try await services.show("rate-limit", hints: Self.hints) { limiter in
                try await limiter.operation.rotateSubjectKey(request, limiter.context).keys
                    .map(\.row.line)
            }
        }
    }

    /// A limit and its subject on the command line, or a subject alone for all limits on it.
    struct Subject: ParsableArguments {
        /// What to do about a rejected field.
        static let hints = [
            "charges": "`postern limits list` shows the names of limits",
            "charges.limit": "`postern limits list` shows the names of limits",
        ]

        @Argument(
            help: ArgumentHelp(
                """
                A limit's name, as listed, and its subject: an email, an address, a number, \
                ADDRESS|DEVICE. Or only an email, an account's id, a phone number with its + or a \
                network address.
                """, valueName: "subject"))
        var words: [String]

        @Option(
            help: "A device of the person, by the id that the app sends: includes its own limits.")
        var device = ""

        func validate() throws {
            guard words.count != 1 || allLimits != nil else {
                throw ValidationError(
                    "\(words[0]) is no email, account's id, phone number with its + or network "
                        + "address; of another subject, name the limit first")
            }
            guard words.count <= 2 else {
                throw ValidationError("give a limit and its subject, or only a subject")
            }
        }

        /// All limits on the subject; nil if one is named.
        var allLimits: SubjectLimits? {
            words.count == 1 ? SubjectLimits(words[0], device: device) : nil
        }

        /// The charges for the request.
        var charges: [RateLimitV1.Charge] {
            if let allLimits { return allLimits.charges }
            return words.count == 2 ? [charge(to: words[0], of: words[1])] : []
        }

        /// The charge to one limit.
        ///
        /// Canonicalises the subject that the operator types in the same way as the gateway: all
        /// spellings of an email are one subject, and only hashes of it are stored.
        /// `Ada@Example.org` as typed would be another subject without counters, and the user would
        /// stay locked out. A subject that is not an email is not changed.
        private func charge(to limit: String, of subject: String) -> RateLimitV1.Charge {
            let counted =
                switch LimitName(rawValue: limit)?.definition.subject {
                case .email?, .accountOrEmail?: Self.normalised(subject)
                case .emailAtSite?:
                    // ADDRESS|EMAIL. A local part may contain a `|`, an address cannot.
                    subject.firstIndex(of: "|").map { bar in
                        let email = subject[subject.index(after: bar)...]
                        return "\(subject[..<bar])|\(Self.normalised(String(email)))"
                    } ?? subject
                default: subject
                }
            return RateLimitV1.Charge(limit: limit, subject: counted, device: device)
        }

        private static func normalised(_ email: String) -> String {
            guard let address = EmailAddress(email) else { return email }
            return String(decoding: address.normalised, as: UTF8.self)
        }
    }
}

extension Caller {
    fileprivate var limits: LimitsClient { LimitsClient(client) }
    fileprivate var operation: LimitOperationClient { LimitOperationClient(client) }
}

// MARK: Lines

extension RateLimitV1.Limit {
    /// As a line: `failed-sign-in-by-account  5 in 15m  (changed, shadow)`
    /// - Parameter width: of the longest name.
    func row(_ width: Int) -> Row {
        let marks = [
            (changed, "changed"), (shadow, "shadow"), (`internal`, "part of others"),
        ].filter(\.0).map(\.1)
        let words = marks.joined(separator: ", ")
        return Row([
            .init("limit", name, phrase: String(name.padded(to: width + 1).dropLast())),
            .init("rule", rule),
            .init(
                "marks", .array(marks.map { .string($0) }), text: words,
                phrase: words.isEmpty ? "" : "(\(words))"),
        ])
    }
}

extension RateLimitV1.Decision {
    /// `limited by failed-sign-in-by-account for 12m` or
    /// `free: 4 more after the next, by failed-sign-in-by-account`
    var line: String {
        guard limited else { return "free: \(remaining) more after the next, by \(limit)" }
        return "limited by \(limit) for \(Self.wait(milliseconds: retryAfterMs))"
    }

    /// The decision with its numbers.
    var json: JSONValue {
        .object([
            "limited": .boolean(limited), "limit": .string(limit),
            "remaining": .integer(Int64(clamping: remaining)),
            "retry_after_ms": .integer(Int64(clamping: retryAfterMs)),
        ])
    }

    /// Rounded up to a whole unit: never less than the wait.
    private static func wait(milliseconds: UInt64) -> String {
        let seconds = milliseconds / 1_000 + (milliseconds % 1_000 > 0 ? 1 : 0)
        return switch seconds {
        case ..<120: "\(seconds)s"
        case ..<7_200: "\((seconds + 59) / 60)m"
        default: "\((seconds / 60 + 59) / 60)h"
        }
    }
}

extension RateLimitV1.ResetResponse {
    /// Whether there were counters: a mistyped subject has none.
    var line: String { forgotten > 0 ? "forgotten" : "nothing was counted" }
}

extension RateLimitV1.SubjectKey {
    /// As a line: `2  current  since 2026-01-31T09:05:00.250Z`
    var row: Row {
        let begun = sinceMs == 0 ? "the start" : Timestamp(milliseconds: sinceMs).text
        let isFormer = untilMs > 0
        let end = isFormer ? Timestamp(milliseconds: untilMs).text : ""
        return Row([
            .init("key", .integer(Int64(number)), text: "\(number)"),
            .init("state", isFormer ? "former" : "current", phrase: isFormer ? "former " : nil),
            .init(
                "since", .moment(sinceMs), text: begun, phrase: isFormer ? "" : "since \(begun)"),
            .init("until", .moment(untilMs), text: end, phrase: isFormer ? "until \(end)" : ""),
        ])
    }
}
