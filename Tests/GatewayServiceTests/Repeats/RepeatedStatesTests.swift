import Foundation
import Testing

@testable import GatewayService

@Suite("G-25: calls that only set a state, and do not look at the idempotency key")
struct RepeatedStatesTests {
    /// Their repeat sets the state again. The page for apps lists them.
    private static let states: Set<String> = [
        "Admin/SuspendAccount", "Admin/RestoreAccount", "Admin/SignOutAccount",
        "Admin/DeleteAccount", "Admin/RepairOrphan", "BackendDocuments/SetOnboarding",
        "Consents/AcceptTerms", "Consents/WithdrawConsent", "Consents/SetPrivacy",
        "Consents/AnswerParentalConsent", "DataExports/RequestDataExport",
        "DataExports/CancelDataExport", "AccountDeletion/RequestDeletion",
        "Guests/ChooseGuestData", "Guests/RetryMigration", "Onboarding/CompleteOnboarding",
        "Onboarding/RestartOnboarding", "Profile/UploadPhoto", "Profile/RemovePhoto",
        "Providers/IssueNonce", "AccountSessions/NoteActivity",
    ]

    /// They are marked idempotent, and look at the key too.
    private static let keyed: Set<String> = [
        "Auth/SignOut", "AccountSessions/EndSession", "AccountSessions/EndOtherSessions",
        "AccountDeletion/CancelDeletion", "Consents/RequestParentalConsent",
        // Recognised by the id of the notice.
        "ProviderNotices/ReceiveProviderNotice",
    ]

    private static let reads = [
        "Get", "List", "LookUp", "Read", "Watch", "Has", "Check", "Compare", "Fetch", "Download",
        "Preview", "Describe", "Introspect",
    ]

    @Test("each idempotent method reads, sets a state, or looks at the key")
    func complete() throws {
        let idempotent = Set(try PublicMethods.idempotent())
        let others = idempotent.filter { method in
            let name = method.split(separator: "/").last ?? ""
            return !Self.reads.contains { name.hasPrefix($0) }
        }
        #expect(others.symmetricDifference(Self.states.union(Self.keyed)) == [])
    }

    @Test("the page for apps names those that do not look at the key", arguments: states.sorted())
    func page(method: String) throws {
        let page = try PublicMethods.page()
        let start = try #require(page.range(of: "- These calls do not look at"))
        let end = try #require(page[start.upperBound...].range(of: "\n- "))
        let list = page[start.lowerBound..<end.lowerBound].split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
        let parts = method.split(separator: "/")
        #expect(
            list.contains("all of `\(parts[0])`") || list.contains("`\(method)`")
                || list.contains("`\(parts[1])`"))
    }
}
