import ArgumentParser
import Contracts
import Messages
import ServiceRuntime

/// `postern limits`: what holds, how somebody stands, and the operator's hand.
struct LimitsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limits",
        abstract: "Shows limits, helps a person who is locked out, replaces the subjects' key.",
        discussion: """
            How much is allowed is changed in the file that postern-rate-limit's setting \
            limits-file names; it is read again when it changes. Begin one with \
            `postern limits list --settings`, and keep what differs.
            """,
        subcommands: [List.self, Peek.self, Reset.self, Keys.self, RotateKey.self],
        defaultSubcommand: List.self)

    /// `postern limits list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows every limit with what holds for it now.")

        @Flag(help: "As a file of limits, to begin one with: YAML, all that it can say.")
        var settings = false

        @OptionGroup var limiter: LimitCaller

        func run() async throws {
            try await limiter.show { limiter in
                let limits = try await limiter.operation.listLimits(.init(), limiter.context).limits
                guard !settings else { return limits.flatMap(\.settings) }
                let width = limits.map(\.name.count).max() ?? 0
                return limits.map { $0.line(width) }
            }
        }
    }

    /// `postern limits peek LIMIT SUBJECT`.
    struct Peek: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Tells how a subject stands, charging nothing.",
            discussion: "Example: postern limits peek failed-sign-in-by-account ada@example.org")

        @OptionGroup var subject: LimitSubjectArguments
        @OptionGroup var limiter: LimitCaller

        func run() async throws {
            let request = RateLimitV1.PeekRequest(charges: [subject.charge])
            try await limiter.show { limiter in
                let answer = try await limiter.limits.peek(request, limiter.context)
                return answer.decision.map { [$0.line] } ?? []
            }
        }
    }

    /// `postern limits reset LIMIT SUBJECT`.
    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Forgets what was counted on a subject: for a person who is locked out.",
            discussion: """
                Example: postern limits reset phone-code-guess +4915112345678

                Each limit is reset by itself; `postern limits peek` tells which one is in the \
                way. It is on record in the audit trail.
                """)

        @OptionGroup var subject: LimitSubjectArguments
        @OptionGroup var limiter: LimitCaller

        func run() async throws {
            let request = RateLimitV1.ResetRequest(charges: [subject.charge])
            try await limiter.show { limiter in
                [try await limiter.limits.reset(request, limiter.context).line]
            }
        }
    }

    /// `postern limits keys`.
    struct Keys: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the keys that subjects are hashed under, the newest first.")

        @OptionGroup var limiter: LimitCaller

        func run() async throws {
            try await limiter.show { limiter in
                try await limiter.operation.listSubjectKeys(.init(), limiter.context).keys
                    .map(\.line)
            }
        }
    }

    /// `postern limits rotate-key`.
    struct RotateKey: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate-key",
            abstract: "Hashes subjects under another key from now on; nobody is freed or charged.",
            discussion: """
                What is kept under the former key is found, and moved when its subject comes \
                again, until nothing of it counts: 90 days at the least. Known devices move \
                likewise. Records in the audit trail keep the hashes of their time, so one \
                subject has another hash after it than before. There are four keys at most; \
                with four, wait until the oldest is forgotten, or have it forgotten.

                A lock for good whose subject never comes again keeps its key for ever.
                """)

        @Flag(
            help: ArgumentHelp(
                "With four keys, forget the oldest to make room.",
                discussion: """
                    Who is locked, counted or known under it and has not come since is free, or \
                    a stranger. It is on record in the audit trail.
                    """))
        var forgetOldest = false

        @OptionGroup var limiter: LimitCaller

        func run() async throws {
            let request = RateLimitV1.RotateSubjectKeyRequest(forgetOldest: forgetOldest)
            try await limiter.show { limiter in
                try await limiter.operation.rotateSubjectKey(request, limiter.context).keys
                    .map(\.line)
            }
        }
    }
}

/// Whom a limit is about, on the command line.
struct LimitSubjectArguments: ParsableArguments {
    @Argument(help: "The limit's name, as the list shows it.")
    var limit: String

    @Argument(help: "Whom it is about: an email, an address, a number, ADDRESS|DEVICE.")
    var subject: String

    @Option(help: "A device that the subject is known by, whose own lane is meant as well.")
    var device = ""

    /// As the limiter is asked.
    var charge: RateLimitV1.Charge {
        RateLimitV1.Charge(
            limit: limit, subject: TypedSubject.counted(subject, under: limit), device: device)
    }
}
