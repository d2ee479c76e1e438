import Contracts
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityService
@testable import NotificationService
@testable import PersonalData
@testable import RateLimitService
@testable import SessionService

/// Rows and journals that exist have these numbers, and no migration changes them.
@Suite("Numbers in stores keep their meaning")
struct StoredNumberTests {
    @Test("each number of the list has its name")
    func numbers() throws {
        let moment = Timestamp(milliseconds: 0)
        let messages: [(name: String, state: DeliveryState)] = [
            ("queued", .queued), ("sending", .sending(until: moment)),
            ("waiting", .waiting(until: moment)), ("sent", .sent), ("dead", .dead(.expired)),
        ]
        let numbers: [[String]] = [
            Self.numbers("account-status", AccountStatus.self),
            Self.numbers("consent-kind", ConsentKind.self),
            Self.numbers("parental-consent", ParentalConsentState.self),
            Self.numbers("deletion-step", DeletionStep.self),
            Self.numbers("link", LinkPurpose.self),
            MailTemplate.allCases.compactMap { mail in
                mail.noticeKind.map { "notice \($0) \(mail.rawValue)" }
            },
            Self.numbers("guest-data-choice", GuestDataChoice.self),
            Self.numbers("migration", MigrationState.self),
            Self.numbers("phone-code-purpose", PhoneCodePurpose.self),
            Self.numbers("phone-code-stage", PhoneCodeState.Stage.self),
            OutboxTopic.queues.map { "outbox-queue \($0.number)" },
            Self.numbers("end-reason", EndReason.self),
            Self.numbers("signing-key", StoredSigningKey.State.self),
            Self.numbers("channel", Channel.self),
            Self.numbers("event-origin", EventOrigin.self),
            Self.numbers("push-platform", PushPlatform.self),
            Lane.allCases.map { "lane \($0.number) \($0)" },
            messages.map { "message \($0.state.code) \($0.name)" },
            LimitName.allCases.map { "limit \($0.number) \($0.rawValue)" },
            Self.numbers("limit-state", LimitState.Kind.self),
        ]
        let list = try UnchangedList("numbers")
        #expect(list.lost(in: numbers.joined()) == [])
        #expect(try list.unlisted(in: numbers.joined()) == [])
    }

    /// The cases of an enum with their numbers.
    private static func numbers<Number: FixedWidthInteger, Value: RawRepresentable<Number>>(
        _ kind: String, _ type: Value.Type
    ) -> [String] {
        (0...255).compactMap { Value(rawValue: Number($0)) }
            .map { value in
                let name = "\(value)".lowercased(joiningWordsBy: "-")
                return "\(kind) \(value.rawValue) \(name)"
            }
    }
}
