import Addresses
import CCurl
import Glibc

// Callbacks of libcurl, always called on the curl thread while the `EasyHandle` exists: the thread
// stores each handle until it has been removed from the multi handle. None of them may throw.

private func handle(_ owner: UnsafeMutableRawPointer?) -> EasyHandle? {
    owner.map { Unmanaged<EasyHandle>.fromOpaque($0).takeUnretainedValue() }
}

/// `CURLOPT_READFUNCTION`.
func readUpload(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ owner: UnsafeMutableRawPointer?
) -> Int {
    let (bytes, overflow) = size.multipliedReportingOverflow(by: count)
    guard let handle = handle(owner), let buffer, !overflow else { return Int(CURL_READFUNC_ABORT) }
    return handle.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: bytes))
}

/// `CURLOPT_SEEKFUNCTION`: only offsets from the start, as libcurl documents it.
func seekUpload(_ owner: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32) -> Int32 {
    guard let handle = handle(owner), origin == SEEK_SET, handle.seek(to: Int(offset)) else {
        return CURL_SEEKFUNC_FAIL
    }
    return CURL_SEEKFUNC_OK
}

/// `CURLOPT_WRITEFUNCTION`. libcurl's default writes to standard output.
func takeDownload(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ owner: UnsafeMutableRawPointer?
) -> Int {
    let part = UnsafeRawBufferPointer(start: bytes, count: size &* count)
    return handle(owner)?.take(content: part) ?? true ? part.count : abortTransfer
}

/// `CURLOPT_HEADERFUNCTION`: one line at a time.
func takeLine(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ owner: UnsafeMutableRawPointer?
) -> Int {
    let line = UnsafeRawBufferPointer(start: bytes, count: size &* count)
    return handle(owner)?.take(line: line) ?? true ? line.count : abortTransfer
}

/// Any count other than the given one aborts a transfer, and no part is as long as this.
private let abortTransfer = Int.max

/// `CURLOPT_OPENSOCKETFUNCTION`: called after the name is resolved and before the connection is
/// opened.
func openSocket(
    _ owner: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let handle = handle(owner), let address, let dialled = internetAddress(address),
        handle.allows(dialled)
    else { return noSocket }
    let chosen = address.pointee
    return handle.sockets.open(
        family: chosen.family, type: chosen.socktype, protocolNumber: chosen.protocol,
        terms: handle.terms)
}

/// `CURLOPT_CLOSESOCKETFUNCTION`: a pooled connection outlives its handle, so the owner is the
/// thread's `OpenSockets`, which outlives the multi handle.
func closeSocket(_ owner: UnsafeMutableRawPointer?, _ descriptor: curl_socket_t) -> Int32 {
    guard let owner else { return 1 }
    Unmanaged<OpenSockets>.fromOpaque(owner).takeUnretainedValue().close(descriptor)
    return 0
}

/// `CURLOPT_PREREQFUNCTION`: the connection is open, perhaps from the pool (`ConnectionTerms`), and
/// nothing of this transfer has been sent.
func checkBeforeRequest(
    _ owner: UnsafeMutableRawPointer?, _ peer: UnsafeMutablePointer<CChar>?,
    _ local: UnsafeMutablePointer<CChar>?, _ peerPort: Int32, _ localPort: Int32
) -> Int32 {
    guard let handle = handle(owner), let peer,
        let address = InternetAddress(text: String(cString: peer)),
        let peerPort = UInt16(exactly: peerPort), let localPort = UInt16(exactly: localPort),
        handle.allowsConnection(
            peer: OpenSockets.End(address: address, port: peerPort), localPort: localPort)
    else { return CURL_PREREQFUNC_ABORT }
    return CURL_PREREQFUNC_OK
}

/// `CURL_SOCKET_BAD`, which is a macro with a cast.
private let noSocket: curl_socket_t = -1

/// Reads the address in `address`, whose bytes extend beyond the field `addr`.
private func internetAddress(_ address: UnsafeMutablePointer<curl_sockaddr>) -> InternetAddress? {
    guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
    let bytes = UnsafeRawBufferPointer(
        start: UnsafeRawPointer(address) + offset, count: Int(address.pointee.addrlen))
    return InternetAddress(socketAddress: bytes)
}
