import Contracts
import GatewayService
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityService
@testable import NotificationService
@testable import PersonalData

/// Rows, messages that wait, callers and dashboards that exist have these words.
@Suite("Words in stores, in answers and in labels of metrics stay")
struct StoredWordTests {
    @Test("the programs have each word of the list")
    func words() throws {
        let list = try UnchangedList("words")
        let words: [[String]] = [
            Self.words("audit", AuditKind.self),
            Self.words("error", ErrorCode.self),
            Self.words("flow", LimitedFlow.self),
            Self.words("mail", MailTemplate.self),
            Self.words("orphan", OrphanKind.self),
            Self.words("photo", PhotoFormat.self),
            Self.words("push", PushTemplate.self),
            Self.words("recent-proof", ProofKind.self),
            Self.words("sms", SMSTemplate.self),
            Self.words("consent-source", ConsentSource.self, in: list),
            Self.words("deletion-source", DeletionSource.self, in: list),
            Self.words("message-dead", DeliveryState.DeathReason.self, in: list),
            Self.words("message-ended", WithdrawalReason.self, in: list),
            Self.words("message-waits", DeliveryReason.self, in: list),
            Self.words("outbox", OutboxTopic.self, in: list),
        ]
        #expect(list.lost(in: words.joined()) == [])
    }

    /// All words of an enum.
    private static func words<Word: CaseIterable & RawRepresentable<String>>(
        _ kind: String, _ type: Word.Type
    ) -> [String] {
        Word.allCases.map { "\(kind) \($0.rawValue)" }
    }

    /// The words of the list that an enum has, of one that does not list its cases.
    private static func words<Word: RawRepresentable<String>>(
        _ kind: String, _ type: Word.Type, in list: UnchangedList
    ) -> [String] {
        list.lines.filter { line in
            let parts = line.split(separator: " ")
            return parts.first == kind[...] && Word(rawValue: String(parts[1])) != nil
        }
    }
}
