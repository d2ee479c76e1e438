import ServiceRuntime
import Testing
import Texts

@testable import WebService

@Suite("Sentences of pages")
struct PageTextsTests {
    @Test(
        "W-04: every page has every sentence in every language, in both voices",
        arguments: Page.allCases, Language.allCases)
    func complete(page: Page, language: Language) {
        for isFormal in [false, true] {
            let texts = PageTexts(page, in: language, isFormal: isFormal)
            for sentence in PageTexts.Shared.allCases {
                #expect(!texts[sentence].isEmpty, "\(sentence) of frame.\(language)")
            }
            for sentence in PageTexts.Sentence.allCases where isUsed(sentence, by: page) {
                #expect(!texts[sentence].isEmpty, "\(sentence) of \(page).\(language)")
            }
            for sentence in PageTexts.Proof.allCases {
                #expect(!texts[proof: sentence].isEmpty, "\(sentence) of proofs.\(language)")
            }
            for sentence in PageTexts.Security.allCases where page == .security {
                #expect(!texts[security: sentence].isEmpty, "\(sentence) of \(language)")
            }
            #expect(texts.errorTitle("x").contains("x") && texts.errorTitle("x") != "x")
        }
    }

    @Test("German and Spanish differ by voice, the others have one")
    func voices() {
        for language in Language.allCases {
            let isSame = Page.allCases.allSatisfy { page in
                PageTexts.sentences(of: page.rawValue, in: language, true)
                    == PageTexts.sentences(of: page.rawValue, in: language, false)
            }
            #expect(isSame == !language.hasFormalVoice, "\(language)")
        }
    }

    @Test("no file has a sentence that no page shows")
    func unused() {
        let paths = Texts.paths.filter { $0.hasPrefix("page/") && $0.hasSuffix(".txt") }
        #expect(paths.count == (Page.allCases.count + 3) * 7)
        let sentences = PageTexts.Sentence.allCases.map(\.rawValue)
        let known = [
            "apple-callback": ["title", "reason", "next"],
            "frame": PageTexts.Shared.allCases.map(\.rawValue),
            "second-proof": PageTexts.Proof.allCases.map(\.rawValue),
            "security": sentences + PageTexts.Security.allCases.map(\.rawValue),
        ]
        for path in paths {
            let keys = (Texts.file(path) ?? "").split(separator: "\n").map {
                String($0.prefix { $0 != ":" })
            }
            #expect(Set(keys).count == keys.count, "\(path)")
            let name = String(path.dropFirst("page/".count).prefix { $0 != "." })
            #expect(Set(keys).subtracting(known[name] ?? sentences) == [], "\(path)")
        }
    }

    private func isUsed(_ sentence: PageTexts.Sentence, by page: Page) -> Bool {
        switch sentence {
        case .request:
            [Page.verifyEmail, .resetPassword, .deleteAccount, .notMe].contains(page)
        case .unusable, .unusableNext:
            ![Page.correctEmail, .forgotPassword, .security].contains(page)
        case .label: page.field != nil
        case .hint: page.field != nil || page == .parent
        case .deadline, .given, .introUnnamed, .refuse, .refuseHint, .refuseTitle, .refused,
            .refusedTitle, .withdraw, .withdrawHint, .withdrawTitle, .withdrawn, .withdrawnTitle:
            page == .parent
        case .order, .orderLead, .preparing, .ready, .reload, .signOut: page == .yourData
        case .introSignIn, .consequences, .deleted, .deletedTitle, .goOn, .keep, .kept, .keptTitle,
            .later,
            .laterHint, .laterTitle, .atOnce, .atOnceHint, .atOnceTitle, .question, .questionTitle,
            .waiting, .waitingTitle:
            page == .deleteAccount
        case .emailHint, .emailLabel: page.asksForAddress
        case .newEmailHint, .newEmailLabel: page == .correctEmail
        case .sessionNeeded: page.mayNeedSession
        case .unmet: page.setsPassword
        // Its result is a file.
        case .done, .doneTitle: page != .yourData
        case .button, .intro, .title: true
        }
    }
}
