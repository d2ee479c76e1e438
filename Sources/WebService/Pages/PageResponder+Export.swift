import Addresses
import Contracts
import Cryptography
import HTTPTypes
import Messages
import NIOCore
import RPC
import ServiceRuntime

/// `/your-data` with the link of a mail (G-21):
///
///     GET   the form, with address and password
///     POST  signs in, streams the archive, and signs out again
///
/// The link alone gives nothing: the archive is sent in a session of its account only, whose
/// password was just typed. Accounts without a password fetch it in the app.
extension PageResponder {
    /// Answers a form of `visit`, which has a link: with the archive, which the browser saves.
    func sendExport(
        _ exchange: HTTPExchange, _ visit: PageVisit, _ form: PageForm, _ parameters: FormParameters
    ) async throws {
        let email = (parameters[Page.Field.email.rawValue] ?? "").trimmingSpaces
        let submission = PageCalls.Submission(
            page: .yourData, form: form, linkToken: visit.linkToken, input: email,
            client: client(of: exchange),
            language: language(exchange, visit))
        let password = SecretBytes(parameters[Page.Field.password.rawValue] ?? "")
        do {
            try await calls.withExport(submission, password: password) { bytes, download in
                var head = HTTPResponse(status: .ok, headerFields: Self.fields)
                head.headerFields[.contentType] = "application/zip"
                head.headerFields[.contentDisposition] = ExportResponder.disposition
                head.headerFields[.contentLength] = "\(bytes)"
                exchange.begin(head)
                var download = download
                try await download.send(on: exchange)
                exchange.end()
            }
        } catch let failure as PageCalls.ExportFailure {
            try await fail(exchange, .yourData, visit, failure.error, email)
        }
    }
}

extension PageCalls {
    /// A download that was refused before its first byte. Later errors end the connection.
    struct ExportFailure: Error {
        let error: ServiceError
    }

    /// Signs in, runs `body` with the archive that the link names, and signs out again.
    /// - Throws: `ExportFailure`; what `body` throws.
    func withExport(
        _ submission: Submission, password: SecretBytes,
        _ body: (_ bytes: Int64, ExportDownload) async throws -> Void
    ) async throws {
        let session = try await signedIn(submission, password)
        do {
            let context = context(submission, "fetch").bearing(session.accessToken)
            let (bytes, download) = try await fetched(submission.linkToken, context)
            try await body(bytes, download)
        } catch {
            await end(session, submission)
            throw error
        }
        await end(session, submission)
    }

    /// Signs out, also when the browser is gone: that has cancelled the caller's task.
    private func end(_ session: GatewayV1.Session, _ submission: Submission) async {
        await Task {
            await signOut(session.refreshToken, context(submission, "sign-out"))
        }.value
    }

    private func signedIn(
        _ submission: Submission, _ password: SecretBytes
    ) async throws -> GatewayV1.Session {
        let request = GatewayV1.SignInWithPasswordRequest(
            email: submission.input, password: password,
            device: GatewayV1.Device(deviceId: submission.form.deviceID, platform: "web"))
        // Each time that the form is sent is a sign-in of its own: the session of the former one
        // has ended.
        let context = context(of: submission.client, in: submission.language)
        do {
            return try await auth.signInWithPassword(request, context).session ?? .init()
        } catch let error as ServiceError {
            throw ExportFailure(error: error)
        }
    }

    /// The archive that a link names. Without one, or with another account's link, the link does
    /// not work.
    private func fetched(
        _ linkToken: String, _ context: CallContext
    ) async throws -> (bytes: Int64, ExportDownload) {
        do {
            guard
                let export = try await exports.getDataExport(.init(), context).dataExport,
                export.state == .ready
            else { throw ServiceError(.invalidLink) }
            let download = try await ExportDownload(
                of: GatewayV1.FetchDataExportRequest(
                    exportId: export.exportId, linkToken: linkToken),
                bytes: export.bytes, from: exports, stream(context))
            return (export.bytes, download)
        } catch let error as ServiceError {
            throw ExportFailure(
                error: error.code == .notFound ? ServiceError(.invalidLink) : error)
        }
    }
}
