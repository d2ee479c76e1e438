import CCurl
import Glibc

/// libcurl refuses an option; its text may hold what was set, so only the code is kept.
struct CurlRefusal: Error {
    let code: UInt32
}

/// Owns one of libcurl's easy handles, and what its callbacks read. Stays on the curl thread,
/// from its making to its end.
final class EasyHandle {
    let raw: UnsafeMutableRawPointer
    private let upload: [UInt8]
    private var uploadedBytes = 0
    private var lists: [UnsafeMutablePointer<curl_slist>] = []
    let terms: ConnectionTerms
    let sockets: OpenSockets
    private var isAddressForbidden = false
    private var isPoolRefused = false
    private var hasNewConnection = false
    /// Who takes an HTTP answer; nil in other protocols.
    private(set) var receiver: (any TransferReceiver)?
    /// What an SMTP server says to this transfer; nil in other protocols.
    private(set) var conversation: SMTPConversation?

    /// A handle with the options that every transfer has, whatever its protocol.
    init(
        upload: [UInt8], terms: ConnectionTerms, timeout: Duration, sockets: OpenSockets
    ) throws(CurlRefusal) {
        guard let raw = curl_easy_init() else {
            throw CurlRefusal(code: CURLE_FAILED_INIT.rawValue)
        }
        self.raw = raw
        self.upload = upload
        self.terms = terms
        self.sockets = sockets
        try setCommon(timeout: timeout)
    }

    deinit {
        curl_easy_cleanup(raw)
        for list in lists { freeWiped(list) }
    }

    private func setCommon(timeout: Duration) throws(CurlRefusal) {
        let milliseconds = Int(min(max(timeout / .milliseconds(1), 1), 3_600_000))
        try set(CURLOPT_TIMEOUT_MS, milliseconds)
        try set(CURLOPT_CONNECTTIMEOUT_MS, min(milliseconds, 10_000))
        // Signals belong to the whole process; this is one thread of it.
        try set(CURLOPT_NOSIGNAL, 1)
        // An `ALL_PROXY` in the environment must not choose the way that mail takes.
        try set(CURLOPT_PROXY, "")
        let owner = Unmanaged.passUnretained(self).toOpaque()
        try check(ccurl_set_read(raw, readUpload, owner))
        try check(ccurl_set_write(raw, takeDownload, owner))
        try check(ccurl_set_open_socket(raw, openSocket, owner))
        try check(
            ccurl_set_close_socket(raw, closeSocket, Unmanaged.passUnretained(sockets).toOpaque()))
        try check(ccurl_set_before_request(raw, checkBeforeRequest, owner))
    }

    // MARK: options

    func set(_ option: CURLoption, _ value: Int) throws(CurlRefusal) {
        try check(ccurl_set_long(raw, option, value))
    }

    func set(_ option: CURLoption, _ value: String) throws(CurlRefusal) {
        // A NUL would cut the text short, and what remains may mean something else.
        guard !value.utf8.contains(0) else {
            throw CurlRefusal(code: CURLE_BAD_FUNCTION_ARGUMENT.rawValue)
        }
        try check(ccurl_set_text(raw, option, value))
    }

    /// libcurl reads up to the NUL that `value` ends with, and keeps a copy.
    func set(_ option: CURLoption, zeroTerminated value: UnsafeRawBufferPointer)
        throws(CurlRefusal)
    {
        guard value.last == 0, value.firstIndex(of: 0) == value.count - 1 else {
            throw CurlRefusal(code: CURLE_BAD_FUNCTION_ARGUMENT.rawValue)
        }
        let text = value.assumingMemoryBound(to: CChar.self).baseAddress
        try check(ccurl_set_text(raw, option, text))
    }

    func set(_ option: CURLoption, _ values: [String]) throws(CurlRefusal) {
        var list: UnsafeMutablePointer<curl_slist>?
        for value in values {
            guard !value.utf8.contains(0), let longer = curl_slist_append(list, value) else {
                curl_slist_free_all(list)
                throw CurlRefusal(code: CURLE_OUT_OF_MEMORY.rawValue)
            }
            list = longer
        }
        try set(option, keeping: list)
    }

    /// Takes over a list, which is wiped in the end: it may hold a header with a secret.
    func set(
        _ option: CURLoption, keeping list: UnsafeMutablePointer<curl_slist>?
    ) throws(CurlRefusal) {
        if let list { lists.append(list) }
        try check(ccurl_set_list(raw, option, list))
    }

    func freeWiped(_ list: UnsafeMutablePointer<curl_slist>?) {
        var next = list
        while let node = next {
            if let text = node.pointee.data { explicit_bzero(text, strlen(text)) }
            next = node.pointee.next
        }
        curl_slist_free_all(list)
    }

    /// Hands what comes in to `receiver`, heads too.
    func receive(into receiver: any TransferReceiver) throws(CurlRefusal) {
        self.receiver = receiver
        try check(
            ccurl_set_header(raw, takeHeadLine, Unmanaged.passUnretained(self).toOpaque()))
    }

    /// Asks for a connection of its own, once: false when that has been asked before, so that a
    /// transfer cannot begin again for ever.
    func setNewConnection() -> Bool {
        guard !hasNewConnection else { return false }
        hasNewConnection = true
        isPoolRefused = false
        conversation?.startOver()
        // Without the option there is no second try, which is what its failure means here.
        return (try? set(CURLOPT_FRESH_CONNECT, 1)) != nil
    }

    /// Says that `upload` is to be sent, and how long it is.
    func setUpload() throws(CurlRefusal) {
        try set(CURLOPT_UPLOAD, 1)
        try check(ccurl_set_size(raw, CURLOPT_INFILESIZE_LARGE, curl_off_t(upload.count)))
    }

    /// Says that `upload` is a POST's body. libcurl asks for it from its start again when the
    /// connection that it had taken from the pool turns out to be closed.
    func setPost() throws(CurlRefusal) {
        try set(CURLOPT_POST, 1)
        try check(ccurl_set_size(raw, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(upload.count)))
        try check(ccurl_set_seek(raw, seekUpload, Unmanaged.passUnretained(self).toOpaque()))
    }

    private func check(_ code: CURLcode) throws(CurlRefusal) {
        guard code == CURLE_OK else { throw CurlRefusal(code: code.rawValue) }
    }

    // MARK: what the callbacks ask

    /// Copies the next part of the upload into `room`; 0 at its end.
    func read(into room: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(room.count, upload.count - uploadedBytes)
        room.copyBytes(from: upload[uploadedBytes..<uploadedBytes + count])
        uploadedBytes += count
        return count
    }

    /// Goes on reading the upload from `position`; false when that is outside of it.
    func seek(to position: Int) -> Bool {
        guard (0...upload.count).contains(position) else { return false }
        uploadedBytes = position
        return true
    }

    /// Whether `address` may be dialled; remembers a no, since libcurl only knows "no socket".
    func allows(_ address: InternetAddress) -> Bool {
        if terms.addresses.allows(address) { return true }
        isAddressForbidden = true
        return false
    }

    /// Whether the connection that libcurl has chosen was opened under these terms.
    func allowsConnection(peer: SocketEnd, localPort: UInt16) -> Bool {
        guard let descriptor = sockets.descriptor(peer: peer, localPort: localPort),
            sockets.terms(of: descriptor) == terms
        else {
            isPoolRefused = true
            return false
        }
        return conversation?.begin(on: descriptor, sockets) ?? true
    }

    /// Has `conversation` hear what the server says.
    func hear(by conversation: SMTPConversation) throws(CurlRefusal) {
        self.conversation = conversation
        try check(
            ccurl_set_header(raw, takeAnswerLine, Unmanaged.passUnretained(self).toOpaque()))
    }

    /// What is to be said of the transfer that ended with `code`.
    func report(_ code: CURLcode) -> TransferReport {
        TransferReport(
            code: code.rawValue, answer: number(CURLINFO_RESPONSE_CODE),
            uploadedBytes: uploadedBytes, isAddressForbidden: isAddressForbidden,
            isPoolRefused: isPoolRefused,
            connectionsOpened: number(CURLINFO_NUM_CONNECTS),
            mailAnswer: conversation?.answer,
            isMailUnsupported: conversation?.isUnsupported ?? false)
    }

    private func number(_ info: CURLINFO) -> Int {
        var value = 0
        return ccurl_get_long(raw, info, &value) == CURLE_OK ? value : 0
    }

    /// Cuts the connection that a failed transfer leaves in libcurl's pool. A late answer to this
    /// transfer would otherwise be read as the answer to the next one's first command. Not so in
    /// HTTP: libcurl closes the connection itself, or it is shared by numbered streams.
    func cutConnection() {
        guard receiver == nil else { return }
        var descriptor: curl_socket_t = -1
        if ccurl_get_socket(raw, CURLINFO_ACTIVESOCKET, &descriptor) == CURLE_OK {
            sockets.cut(descriptor)
        }
    }
}
