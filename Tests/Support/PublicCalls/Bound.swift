package import Cryptography
package import Messages
import TestSupport

/// Values at the bounds of the fields that have them. `PublicCallBoundTests` compares them with the
/// bounds of the code.
package enum Bound {
    // MARK: Texts

    /// A text of so many bytes that begins with `start`.
    package static func text(_ bytes: Int, _ start: String = "") -> String {
        precondition(start.utf8.count <= bytes, "\(start) is too long")
        return start + String(repeating: "x", count: bytes - start.utf8.count)
    }

    /// An address of 512 bytes as it is entered. Its mailbox has 254: letters of the domain are
    /// typed in their full width, three bytes each.
    package static func email(_ name: String) -> String {
        text(64, name) + "@" + String(repeating: "ａ", count: 63) + "."
            + String(repeating: "ａ", count: 63) + "." + String(repeating: "ａ", count: 3)
            + text(54) + ".org"
    }

    /// The mailbox of `email`.
    package static func mailbox(_ name: String) -> String {
        email(name).replacing("ａ", with: "a")
    }

    /// A phone number of 64 bytes as it is entered.
    package static func phone(_ caller: Int, _ index: Int) -> String {
        let digits = e164(caller, index)
        return digits + String(repeating: " ", count: 64 - digits.utf8.count)
    }

    /// The same in E.164. Neighbours are in other blocks of a thousand.
    package static func e164(_ caller: Int, _ index: Int) -> String {
        "+49151\(10_000_000 + (caller * 16 + index) * 7_919 % 90_000_000)"
    }

    /// A code of six digits as it is entered, in 32 bytes.
    package static func code(_ digits: String) -> String {
        digits + String(repeating: " ", count: 32 - digits.utf8.count)
    }

    /// A recovery code as it is entered, in 64 bytes.
    package static func recoveryCode(_ code: String) -> String {
        code + String(repeating: " ", count: 64 - code.utf8.count)
    }

    /// A password of 1,024 bytes and, in its normal form, 128 code points: syllables in three
    /// characters of three bytes each.
    package static let password = password("Aa1")
    /// Another such password.
    package static let newPassword = password("Bb2")

    private static func password(_ start: String) -> String {
        var scalars = String.UnicodeScalarView(text(16, start + "quick").unicodeScalars)
        for number: UInt32 in 0..<112 {
            // The three parts of a syllable (Unicode, 3.12).
            for (first, count) in [(0x1100, 19), (0x1161, 21), (0x11A8, 27)] as [(UInt32, UInt32)] {
                scalars.append(Unicode.Scalar(first + number % count) ?? " ")
            }
        }
        return String(scalars)
    }

    /// A secret field.
    package static func secret(_ text: String) -> SecretBytes { SecretBytes(text: text) }

    /// A display name of 128 characters, four bytes each.
    package static let displayName = String(repeating: "𝒳", count: 128)
    /// A language tag of 35 bytes.
    package static let language = "de-abcdefgh-abcdefgh-abcdefgh-abcde"
    /// The versions of the terms and of the privacy text, which the programs are set to.
    package static let (terms, privacy) = (text(64, "t1"), text(64, "p1"))
    /// The name of a person or job for the audit trail.
    package static let actor = text(64, "ann")
    /// How an authenticator can be reached: as many as are kept.
    package static let transports = [
        "internal", "hybrid", "usb", "nfc", "ble", "smart-card", "cable", "serial",
    ]
    /// The subject of a caller's user at a provider.
    package static func subject(_ caller: String, _ index: Int) -> String {
        text(255, "\(caller)-\(index)-")
    }

    /// A token of a device for push messages.
    package static func pushToken(_ caller: String, _ number: Int) -> String {
        text(1_024, "\(caller)-\(number)-")
    }

    /// The name of an app.
    package static let app = text(155, "com.example.")

    /// What a person agrees to at a sign-up.
    /// - Parameter isChild: the person is ten years old.
    package static func acceptance(isChild: Bool = false) -> GatewayV1.Acceptance {
        GatewayV1.Acceptance(
            termsVersion: terms, privacyVersion: privacy, marketing: true, analytics: true,
            birthDate: secret(isChild ? childsBirthDate : "1990-12-31"))
    }

    /// Of a child for some years from 2026 on.
    private static let childsBirthDate = "2020-12-31"

    // MARK: Documents

    /// The collection, which the rules file has.
    package static let collection = text(64, "costs")
    /// The bytes of a document's JSON.
    package static let documentBytes = 64 * 1_024
    /// The documents of 64 KiB that an account has room for, beside 35 short ones.
    package static let largest = documents(15)

    /// A document's name.
    package static func documentName(_ index: Int) -> String { text(128, "\(index)-") }

    /// A JSON object of so many bytes, most of them numbers, which take longest to parse.
    package static func json(_ bytes: Int = documentBytes) -> String {
        let (start, end) = (#"{"y":1,"a":["#, "]}")
        let rest = bytes - start.utf8.count - end.utf8.count
        return start + String(repeating: "1,", count: (rest - 1) / 2)
            + (rest.isMultiple(of: 2) ? "11" : "1") + end
    }

    /// New documents.
    package static func documents(
        _ count: Int, bytes: Int = documentBytes
    ) -> [GatewayV1.DocumentWrite] {
        let json = json(bytes)
        return (0..<count).map {
            .init(collection: collection, name: documentName($0), json: json)
        }
    }

    /// Changes of one field of 50 documents.
    package static let merges = (0..<50).map {
        GatewayV1.DocumentWrite(
            collection: collection, name: documentName($0), json: #"{"y":2}"#, merge: true)
    }

    /// Two documents whose JSON fills a frame of 128 KiB.
    package static let twoLargest = zip([documentBytes, 60_000], 0...).map { bytes, index in
        GatewayV1.DocumentWrite(
            collection: collection, name: documentName(index), json: json(bytes),
            base: .baseVersion(1))
    }

    /// A document as a writer's token covers it.
    package static func parts(of document: GatewayV1.DocumentWrite) -> [String] {
        var base = ""
        if case .baseVersion(let version) = document.base { base = "\(version)" }
        return [
            document.collection, document.name, base, document.merge ? "merge" : "", document.json,
        ]
    }

    /// The items of a bundle.
    package static func bundle(
        _ documents: [GatewayV1.DocumentWrite]
    ) -> [GatewayV1.UploadGuestBundleRequest] {
        [.init(part: .head(.init(documents: UInt32(documents.count))))]
            + documents.map {
                .init(
                    part: .document(
                        .init(
                            collection: $0.collection, name: $0.name, json: $0.json,
                            changedAtMs: 1_700_000_000_000)))
            }
    }

    // MARK: Onboarding

    /// The section and its screen, which the rules file has.
    package static let (section, screen) = (text(64, "section"), text(64, "screen"))
    /// A draft: its text is stored with some words beside it, so it fills 64 KiB with spaces.
    package static let draft =
        #"{"text":"\#(text(65_000))""# + String(repeating: " ", count: 525) + "}"

    // MARK: Photos

    /// The items of the upload of a photo of 5 MiB.
    package static func photo(_ seed: UInt64) -> [GatewayV1.UploadPhotoRequest] {
        let photo = TestPhoto.jpeg(bytes: 5 << 20, seed: seed)
        return [.init(part: .bytes(UInt32(photo.count)))]
            + stride(from: 0, to: photo.count, by: 64 << 10).map {
                .init(part: .data(Array(photo[$0..<min($0 + 64 << 10, photo.count)])))
            }
    }
}
