import ServiceRuntime
import TestSupport
import Testing

@testable import PersonalData

@Suite("The settings for what accounts keep")
struct PersonalDataSettingsTests {
    private func load(
        _ environment: [String: String]
    ) -> SettingsLoader.Outcome<PersonalDataSettings> {
        SettingsLoader(
            program: "postern-identity", summary: "", arguments: [], environment: environment
        ).load(PersonalDataSettings.self)
    }

    @Test("the defaults are valid")
    func defaults() throws {
        let settings: PersonalDataSettings = try SettingsLoader.settings()
        #expect(settings.documents.countMax == 200)
        #expect(settings.documents.bytesMax == 1_048_576)
        #expect(settings.documents.guestBytesMax == 131_072)
        #expect(settings.guestData == .discard)
        #expect(settings.photos == .owner)
    }

    @Test("G-16, G-17: configured values take effect")
    func chosen() throws {
        let settings: PersonalDataSettings = try SettingsLoader.settings(environment: [
            "POSTERN_GUEST_DATA": "merge", "POSTERN_PHOTOS": "public",
            "POSTERN_DOCUMENT_COUNT_MAX": "7",
        ])
        #expect(settings.guestData == .merge)
        #expect(settings.photos == .public)
        #expect(settings.documents.countMax == 7)
    }

    @Test(
        "an invalid value of each setting is refused",
        arguments: [
            ("POSTERN_DOCUMENT_COUNT_MAX", "0"), ("POSTERN_DOCUMENT_BYTES_MAX", "1000"),
            ("POSTERN_GUEST_PHOTO_BYTES_MAX", "-1"), ("POSTERN_GUEST_DATA", "drop"),
            ("POSTERN_PHOTOS", "friends"),
        ])
    func refused(name: String, value: String) {
        guard case .exit(_, let code) = load([name: value]) else {
            Issue.record("\(value) is taken")
            return
        }
        #expect(code != 0)
    }
}
