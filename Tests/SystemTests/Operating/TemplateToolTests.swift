import Foundation
import TestSupport
import Testing

extension SystemTests {
    @Suite("postern template, without a running service")
    struct TemplateTool {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private func tool(_ arguments: String...) async throws -> ProgramRun {
            try await ProgramRun.run("postern", ["template"] + arguments, in: folder.path)
        }

        @Test("N-05: a built-in template can be shown, changed, checked and previewed")
        func words() async throws {
            let shown = try await tool("show", "verify-email.de.mail")
            #expect(shown.output.hasPrefix("Subject: Bestätige"), "\(shown)")
            let mine = shown.output.replacing("Bestätige", with: "Moin, bestätige")
            _ = try folder.write(mine, to: "verify-email.de.mail")
            let checked = try await tool("check", folder.path)
            #expect(checked.exitCode == 0, "\(checked)")
            let preview = try await tool(
                "preview", "verify-email", "--language", "de-AT", "--folder", folder.path,
                "--output", folder.file(".preview"))
            #expect(preview.exitCode == 0, "\(preview)")
            let page = try String(contentsOfFile: folder.file(".preview"), encoding: .utf8)
            #expect(page.contains("Moin, bestätige"))
            let formal = try await tool(
                "preview", "verify-email", "--language", "de", "--formal", "--output",
                folder.file(".formal"))
            #expect(formal.exitCode == 0, "\(formal)")
            let letter = try String(contentsOfFile: folder.file(".formal"), encoding: .utf8)
            #expect(letter.contains("Bestätigen Sie Ihre E-Mail-Adresse"))
        }

        @Test("N-05: a template that cannot be used is reported with file and line")
        func problems() async throws {
            _ = try folder.write("Subject: x\n\n{{devise}}", to: "sign-in.de.mail")
            _ = try folder.write("Subject: x\n\ny", to: "sign-in.it.mail")
            let checked = try await tool("check", folder.path)
            #expect(checked.exitCode != 0)
            #expect(checked.errors.contains("sign-in.de.mail, line 3: {{devise}}"), "\(checked)")
            #expect(checked.errors.contains("none of en, de, es, fr, ja"))
            #expect(try await tool("preview", "nothing").exitCode != 0)
            #expect(try await tool("list").output.contains("reset-password"))
        }
    }
}
