import Contracts
import ServiceRuntime
import Testing

@testable import RateLimitService

@Suite("R-01: users get a sentence about the wait")
struct LimitSentenceTests {
    @Test(
        "R-01: the sentences of D0 and similar ones have the right text",
        arguments: [
            (.code, 45_000, "en", "Please wait 45 seconds before requesting another code."),
            (.code, 240_000, "en", "Please wait 4 minutes before requesting another code."),
            (.code, 1_620_000, "en", "Please wait 27 minutes before requesting another code."),
            (.wrongCode, 900_000, "en-GB", "Too many incorrect codes. Please wait 15 minutes."),
            (.mail, 1, "", "Please wait 1 second before requesting another email."),
            (
                .attempt, 60_000, "xx",
                "Too many attempts. Please wait 1 minute before trying again."
            ),
            (
                .code, 86_400_000, "de-AT",
                "Bitte warte 24 Stunden, bevor du einen neuen Code anforderst."
            ),
            (
                .code, 86_400_000, "de-formal",
                "Bitte warten Sie 24 Stunden, bevor Sie einen neuen Code anfordern."
            ),
            (.change, 3_540_000, "es-formal", "Espere 59 minutos antes de hacer otro cambio."),
            (.change, 3_540_000, "es_MX", "Espera 59 minutos antes de hacer otro cambio."),
            (
                .attempt, 86_400_000 * 3, "FR",
                "Trop de tentatives. Veuillez patienter 3 jours avant de réessayer."
            ),
            (.wrongCode, 900_000, "ja", "コードの誤りが多すぎます。あと15分お待ちください。"),
            (.attempt, nil, "en", "Too many attempts. Please contact support."),
        ] as [(LimitWording, Int64?, String, String)])
    func table(wording: LimitWording, milliseconds: Int64?, tag: String, sentence: String) {
        #expect(
            wording.sentence(
                milliseconds: milliseconds, in: Voice(tag: tag) ?? .english) == sentence)
    }

    @Test("R-01: every wait is rounded up and never shorter than the real one")
    func rounding() {
        let units: [WaitText.Unit: Int64] = [
            .second: 1_000, .minute: 60_000, .hour: 3_600_000, .day: 86_400_000,
        ]
        var edges: [Int64] = [.min, -1, 0, .max]
        for edge: Int64 in [1_000, 60_000, 7_140_000, 7_200_000, 169_200_000, 172_800_000] {
            edges += [edge - 1, edge, edge + 1]
        }
        for milliseconds in edges {
            let wait = WaitText(milliseconds: milliseconds)
            let (stated, overflow) = wait.count.multipliedReportingOverflow(
                by: units[wait.unit] ?? 0)
            #expect(overflow || stated >= milliseconds)
            #expect(wait.count >= 1)
            if milliseconds > 60_000, milliseconds < .max {
                #expect(stated - milliseconds < units[wait.unit] ?? 0)
            }
        }
    }

    @Test("R-01: every language has every sentence, and all differ")
    func complete() {
        var texts: Set<String> = []
        for voice in Voice.allCases {
            for wording in LimitWording.allCases {
                for milliseconds: Int64 in [1_000, 120_000, 10_800_000, 864_000_000] {
                    texts.insert(
                        wording.sentence(milliseconds: milliseconds, in: voice))
                }
            }
            texts.insert(LimitWording.code.sentence(milliseconds: nil, in: voice))
            texts.insert(LimitWording.password.sentence(milliseconds: nil, in: voice))
        }
        // With an end, a wait for another password has the same text as for any other attempt.
        let withEnd = (LimitWording.allCases.count - 1) * 4
        #expect(texts.count == Voice.allCases.count * (withEnd + 2))
    }

    @Test(
        "R-01: an unknown language tag gives English and causes no trap",
        arguments: ["", "-", "e", "eng", "EN", "x-klingon", "\u{0}", "e\u{301}n", "🇩🇪", "_de"])
    func tags(tag: String) {
        #expect((Voice(tag: tag) ?? .english) == .english)
    }
}
