import Messages
import ServiceRuntime
import Testing

@testable import IdentityService
@testable import PersonalData

@Suite("G-18, G-01: the rules of onboarding and required actions")
struct OnboardingRuleTests {
    @Test(
        "G-18: the flag follows its truth table",
        arguments: [
            (true, false, false, true), (true, true, true, true),
            (false, false, false, false), (false, true, true, false),
            (nil, true, false, true), (nil, true, true, true),
            (nil, false, true, true), (nil, false, false, false),
        ] as [(Bool?, Bool, Bool, Bool)])
    func flag(isSet: Bool?, isCompleted: Bool, documentsExist: Bool, isComplete: Bool) {
        let record = OnboardingRecord(
            completedAt: isCompleted ? Timestamp(milliseconds: 5) : nil, isSet: isSet)
        #expect(record.isComplete(documentsExist: documentsExist) == isComplete)
        let depends =
            record.isComplete(documentsExist: true) != record.isComplete(documentsExist: false)
        #expect(record.dependsOnDocuments == depends)
    }

    @Test(
        "G-18: a completion is a repeat if one set the flag last and no draft is newer",
        arguments: [
            (5, nil, [], true), (5, nil, [4, 3], true), (5, nil, [4, 5], true),
            (5, nil, [4, 6], false), (nil, nil, [], false), (5, true, [], false),
            (5, false, [], false), (nil, true, [], false),
        ] as [(Int64?, Bool?, [Int64], Bool)])
    func repeats(completedAt: Int64?, isSet: Bool?, drafts: [Int64], isRepeat: Bool) {
        let record = OnboardingRecord(
            completedAt: completedAt.map { Timestamp(milliseconds: $0) }, isSet: isSet)
        #expect(record.isRepeat(draftPositions: drafts) == isRepeat)
    }

    @Test(
        "G-18: the place to resume at follows its table",
        arguments: [
            ([(0, false), (0, false), (0, false)], "a"),
            ([(1, false), (0, false), (0, false)], "a"),
            ([(1, true), (0, false), (0, false)], "b"),
            ([(1, true), (2, true), (0, false)], "c"),
            ([(3, true), (2, true), (0, false)], "c"),
            ([(3, true), (2, false), (0, false)], "b"),
            ([(1, false), (3, false), (2, true)], "b"),
            ([(1, false), (2, true), (3, true)], "a"),
            ([(0, false), (2, true), (3, true)], "a"),
            ([(1, true), (2, true), (3, true)], ""),
            ([], ""),
        ] as [([(saved: Int64, isDone: Bool)], String)])
    func resume(sections: [(saved: Int64, isDone: Bool)], expected: String) {
        let names = ["a", "b", "c"]
        let place = ResumeRule.place(
            zip(names, sections).map { name, section in
                ResumeRule.Section(
                    name: name, isDone: section.isDone,
                    screen: section.saved == 0 ? "" : "screen of \(name)",
                    savedAt: section.saved == 0 ? nil : section.saved)
            })
        #expect(place.section == expected)
        let isSaved = zip(names, sections).contains { $0 == expected && $1.saved > 0 }
        #expect(place.screen == (isSaved ? "screen of \(expected)" : ""))
    }

    private typealias Demands = RequiredActionRule.Demands

    @Test("G-01: the email is to be verified if it is not, or if one is pending")
    func email() {
        func waits(_ email: String, verified: Bool = false, pending: String = "") -> Bool {
            let account = GatewayV1.Account(
                email: email, emailVerified: verified, pendingEmail: pending)
            return RequiredActionRule.actions(account, Demands()) == [.verifyEmail]
        }
        #expect(waits("ada@example.org"))
        #expect(!waits("ada@example.org", verified: true))
        #expect(!waits("ada@example.org", verified: true, pending: "new@example.org"))
        #expect(waits("", pending: "ada@example.org"))
        #expect(!waits(""))
    }

    @Test("G-01: the profile is to be completed if it lacks what the app requires, not by guests")
    func profile() {
        func waits(_ name: String, guest: Bool = false, _ demands: Demands) -> Bool {
            let account = GatewayV1.Account(displayName: name, isGuest: guest)
            return RequiredActionRule.actions(account, demands) == [.completeProfile]
        }
        #expect(waits("", Demands(requiresDisplayName: true)))
        #expect(!waits("Ada", Demands(requiresDisplayName: true)))
        #expect(waits("Ada", Demands(lacksProfile: true)))
        #expect(waits("", Demands(requiresDisplayName: true, lacksProfile: true)))
        #expect(!waits("", Demands()))
        #expect(
            !waits("", guest: true, Demands(requiresDisplayName: true, lacksProfile: true)))
    }

    @Test("G-01: onboarding is to be completed if it is declared and not complete, also by guests")
    func onboarding() {
        for isGuest in [true, false] {
            for isComplete in [true, false] {
                for isDeclared in [true, false] {
                    let account = GatewayV1.Account(
                        isGuest: isGuest, onboardingComplete: isComplete)
                    #expect(
                        RequiredActionRule.actions(account, Demands(hasOnboarding: isDeclared))
                            == (isDeclared && !isComplete ? [.completeOnboarding] : []))
                }
            }
        }
    }

    @Test("G-23: the terms are to be accepted if the account lacks consent, not by guests")
    func consent() {
        for (isGuest, expected) in [(false, [GatewayV1.RequiredAction.acceptTerms]), (true, [])] {
            let account = GatewayV1.Account(isGuest: isGuest)
            #expect(RequiredActionRule.actions(account, Demands(lacksConsent: true)) == expected)
            #expect(RequiredActionRule.actions(account, Demands()) == [])
        }
    }

    @Test("G-01: the actions come in one order")
    func order() {
        let account = GatewayV1.Account(email: "ada@example.org")
        let demands = Demands(
            lacksConsent: true, lacksParent: true, requiresDisplayName: true, hasOnboarding: true)
        #expect(
            RequiredActionRule.actions(account, demands)
                == [
                    .acceptTerms, .parentalConsent, .verifyEmail, .completeProfile,
                    .completeOnboarding,
                ])
    }
}
