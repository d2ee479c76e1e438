import Messages
import ServiceRuntime
import Storage
import Testing
import Texts

@testable import IdentityService

@Suite("G-22: the sentences about an account's activity")
struct ActivitySentenceTests {
    private static func sentence(
        _ kind: AuditKind, _ detail: String = "", attempt: Int64 = 0, actor: String = "",
        in voice: Voice = .english
    ) -> String {
        Activity(
            EventsV1.Event(kind: kind.rawValue, attempt: attempt, actor: actor, detail: detail)
        ).sentence(in: voice)
    }

    private static func lines(_ voice: Voice) -> [String: String] {
        Texts.lines("activity/activity", in: voice.tag)
    }

    @Test("each kind that owners are shown has a sentence in each voice, and no other kind has one")
    func complete() {
        for voice in Voice.allCases {
            for kind in AuditKind.allCases {
                let isShown = ShownActivity.kinds.contains(kind)
                #expect(
                    Self.sentence(kind, in: voice).isEmpty == !isShown,
                    "\(kind.rawValue) in \(voice.tag)")
            }
        }
        #expect(ShownActivity.toOwner.ofSession.count <= AuditKinds.patternsMax)
    }

    @Test("every file has the same keys, each of a kind that is shown", arguments: Voice.allCases)
    func keys(voice: Voice) {
        let keys = Set(Self.lines(voice).keys)
        #expect(keys == Set(Self.lines(.english).keys))
        let kinds = Set(keys.compactMap { $0.split(separator: "/").first.map(String.init) })
        #expect(kinds == Set(ShownActivity.kinds.map(\.rawValue)))
    }

    @Test("a formal voice has the sentences that differ only")
    func formal() {
        for voice in Voice.allCases.filter(\.isFormal) {
            let own = Texts.lines("activity/activity.\(voice.tag).txt")
            let plain = Self.lines(Voice(voice.language))
            #expect(own.count > 20)
            for (key, text) in own { #expect(plain[key].map { $0 != text } == true, "\(key)") }
        }
    }

    @Test("a sentence ends with a full stop and fits", arguments: Voice.allCases)
    func form(voice: Voice) {
        for (key, text) in Self.lines(voice) {
            #expect(text.hasSuffix(voice.language == .japanese ? "。" : "."), "\(key)")
            #expect((4...120).contains(text.count), "\(key)")
            #expect(key.hasSuffix("/{{method}}") == text.contains("{{"), "\(key)")
        }
    }

    @Test("no sentence is left untranslated")
    func translated() {
        let all = Language.allCases.map { Self.lines(Voice($0)) }
        for key in Self.lines(.english).keys {
            #expect(Set(all.map { $0[key] }).count == all.count, "\(key)")
        }
    }

    @Test("a sign-in names its method, in the reader's words; an unknown one is as the operator's")
    func methods() {
        let formal = Voice(.german, isFormal: true)
        #expect(Self.sentence(.signInSucceeded) == "You signed in.")
        #expect(Self.sentence(.signInSucceeded, "google") == "You signed in (Google).")
        #expect(Self.sentence(.signInSucceeded, "corporate") == "You signed in (corporate).")
        #expect(Self.sentence(.signInSucceeded, "other") == "You signed in.")
        #expect(
            Self.sentence(.signInSucceeded, "password", in: formal)
                == "Sie haben sich angemeldet (Passwort).")
        #expect(
            Self.sentence(.signInFailed, "phone", in: Voice(.japanese))
                == "ログインが試みられましたが、失敗しました（電話番号）。")
    }

    @Test("a session's end says why, in a sentence of its own")
    func ends() {
        let plain = Self.sentence(.sessionEnded)
        let reasons: [EndReason] = [
            .signedOut, .inactive, .maximumAge, .displaced, .security, .revoked, .providerRevoked,
        ]
        let sentences = reasons.map { Self.sentence(.sessionEnded, $0.rule) }
        #expect(Set(sentences + [plain]).count == reasons.count + 1)
        // A reason without a sentence of its own.
        #expect(Self.sentence(.sessionEnded, "later") == plain)
        // What the detail of a session's start says is for programs.
        #expect(Self.sentence(.sessionStarted, "pwd") == Self.sentence(.sessionStarted))
    }

    @Test("a consent says to what, a password why, a deletion who")
    func variants() {
        let consents = (Int64(0)...5).map { Self.sentence(.consentGiven, attempt: $0) }
        #expect(Set(consents).count == 5 && consents[0] == consents[5])
        let passwords = AuditDetail.PasswordReplacement.allCases.map {
            Self.sentence(.passwordReplaced, $0.rawValue)
        }
        #expect(Set(passwords + [Self.sentence(.passwordReplaced)]).count == 4)
        let support = Self.sentence(.deletionRequested, actor: "tool/ann")
        #expect(support.hasPrefix("Our support team") && !support.contains("ann"))
        #expect(support != Self.sentence(.deletionRequested))
    }
}
