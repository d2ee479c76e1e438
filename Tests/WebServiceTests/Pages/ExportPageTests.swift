import ServiceRuntime
import TestSupport
import Testing

@testable import WebService

@Suite("The page that sends a person's data", .timeLimit(.minutes(1)))
struct ExportPageTests {
    private func post(
        _ open: OpenPage, _ password: String, in fixture: PagesFixture
    ) async throws -> HTTP1Response {
        let body = "form=\(open.formToken)&email=ada%40example.org&password=\(password)"
        return try await fixture.post(open, body, [:])
    }

    @Test("G-21: it signs in, streams the archive, and signs out again")
    func download() async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(.yourData)
            #expect(open.response.text.contains("autocomplete=\"username\""))
            #expect(open.response.text.contains("value=\"ada@example.org\" required"))
            let sent = try await post(open, "right", in: fixture)
            #expect(sent.status == 200)
            #expect(sent.body == PagesGateway.archive)
            #expect(sent.fields["content-type"] == "application/zip")
            #expect(sent.fields["content-length"] == "\(PagesGateway.archive.count)")
            #expect(
                sent.fields["content-disposition"] == "attachment; filename=\"your-data.zip\"")
            #expect(sent.fields["cache-control"] == "no-store")
            // It signs out after the last byte.
            #expect(try await eventually { fixture.gateway.calls.count == 4 })
            let calls = fixture.gateway.calls
            #expect(
                calls.map(\.method) == [
                    "SignInWithPassword", "GetDataExport", "FetchDataExport", "SignOut",
                ])
            #expect(
                calls.map(\.token) == [
                    "ada@example.org", "Bearer access-1", "good", "Bearer access-1",
                ])
            #expect(calls[0].context["authorization"] == nil)
            #expect(calls[0].context["brief"] == "true")
            #expect(calls[2].context["authorization"] == "Bearer access-1")
        }
    }

    @Test("G-21: a wrong password shows the form again, with the address and without the password")
    func wrong() async throws {
        try await PagesFixture.run { fixture in
            let failed = try await post(
                try await fixture.open(.yourData), "wrong", in: fixture)
            #expect(failed.status == 422)
            #expect(failed.text.contains("value=\"ada@example.org\""))
            #expect(!failed.text.contains("value=\"wrong\""))
            #expect(fixture.gateway.calls.map(\.method) == ["SignInWithPassword"])
        }
    }

    @Test("G-21: a link that was used is answered as unusable, and the session ends")
    func used() async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(.yourData, "token=late")
            let refused = try await post(open, "right", in: fixture)
            #expect(refused.status == 400)
            #expect(refused.text.contains("<title>Error: "))
            #expect(fixture.gateway.calls.last?.method == "SignOut")
        }
    }
}
