import ArgumentParser
import Testing

@testable import postern

@Suite("N-05: `postern template preview`: its arguments")
struct TemplateCommandTests {
    @Test("N-05: a language without texts is refused, instead of a preview in English")
    func languages() throws {
        for language in ["en", "de", "es", "fr", "ja", "de-AT"] {
            _ = try TemplateCommand.Preview.parse(["verify-email", "--language", language])
        }
        for language in ["xx", "", "english"] {
            #expect(throws: (any Error).self) {
                try TemplateCommand.Preview.parse(["verify-email", "--language", language])
            }
        }
    }
}
